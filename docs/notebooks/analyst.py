"""An interactive page for analysts: forecast first, then spend. Run `marimo run docs/notebooks/analyst.py`, or python.

Without a description the page generates a public table, so that nothing shown is private. The custodian passes a
description with `marimo run docs/notebooks/analyst.py -- --description patients.toml`; the process that runs the page
then reads the rows and must run on the custodian's machine. Analysts use the page through `marimo run`, which shows no
code and runs none of theirs. They can observe how long an answer takes; if that matters, use the service instead.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="eremite for analysts")


@app.cell
def _():
    import sys

    import marimo as mo
    import numpy as np

    import eremite

    return eremite, mo, np, sys


@app.cell
def _(mo):
    mo.md("""
    # Ask about outliers

    Define an outlier, see how far off an answer would be, then ask. Only **Ask** spends epsilon.
    """)
    return


@app.cell
def _(eremite, mo, np, sys):
    def made_up():
        """Ten thousand patients; glucose follows body mass except in five hundred of them."""
        rng = np.random.default_rng(1)
        bmi, pressure = rng.uniform(18, 35, 10_000), rng.uniform(100, 150, 10_000)
        glucose = 20 + 4 * bmi + rng.normal(0, 3, 10_000)
        glucose[:500] = rng.permutation(glucose[:500])
        bounds = {"bmi": (10, 60), "glucose": (40, 400), "pressure": (60, 220)}
        table = eremite.Table.from_frame(np.column_stack([bmi, glucose, pressure]), bounds=bounds)
        return eremite.Session(table, epsilon=3), list(bounds)

    def opened(path):
        """The table of a description, and its columns. Only the custodian sees why it cannot be opened."""
        from eremite.table import read_description

        try:
            return eremite.open(path), list(read_description(path).columns)
        except eremite.EremiteError as error:
            print(error, file=sys.__stderr__)
            mo.stop(True, mo.callout("The table cannot be opened; tell the custodian.", kind="warn"))

    description = mo.cli_args().get("description")
    session, columns = opened(description) if description else made_up()
    return columns, session


@app.cell
def _(columns, mo):
    min_neighbors = mo.ui.slider(1, 20, value=5, label="k: a row with fewer neighbors is an outlier", show_value=True)
    radius = mo.ui.slider(
        steps=[0.005, 0.01, 0.02, 0.05, 0.1], value=0.01, label="r: neighbors are within this distance", show_value=True
    )
    chosen = mo.ui.multiselect(columns, value=columns[:2], label="columns")
    mo.vstack([mo.md("## What is an outlier?"), min_neighbors, radius, chosen])
    return chosen, min_neighbors, radius


@app.cell
def _(chosen, eremite, min_neighbors, mo, radius):
    mo.stop(not chosen.value, mo.md("Choose at least one column."))
    definition = eremite.OutlierDefinition(min_neighbors=min_neighbors.value, radius=radius.value)
    return (definition,)


@app.cell
def _(mo):
    epsilon = mo.ui.slider(steps=[0.1, 0.2, 0.3, 0.5, 0.7, 1], value=0.5, label="epsilon", show_value=True)
    mo.vstack([mo.md("## How far off would a count be?"), epsilon])
    return (epsilon,)


@app.cell
def _(chosen, definition, epsilon, mo, session):
    forecast = session.forecast_count(definition, chosen.value, epsilon=sorted({0.2, 0.5, 1, 2, epsilon.value}))
    [expected] = [error for error in forecast.errors if float(error.epsilon) == epsilon.value]
    mo.vstack(
        [
            mo.md(
                f"With epsilon {epsilon.value}, half of the counts are off by less than **{expected.median:.0f}**, "
                f"and 95 % by less than **{expected.most:.0f}**. Computed on {forecast.stand_in}; nothing was spent."
            ),
            forecast.plot(),
        ]
    )
    return (forecast,)


@app.cell
def _(mo):
    request_id = mo.ui.text(value="my first count", label="Request id: repeating it returns the same answer for free")
    ask = mo.ui.run_button(label="Ask", kind="success")
    mo.vstack([mo.md("## Ask"), request_id, ask])
    return ask, request_id


@app.cell
def _(ask, chosen, definition, epsilon, eremite, forecast, mo, request_id, session):
    def answered():
        """The release and a sentence, or None and the reason. Run as a program, the page asks without a click."""
        if not ask.value and mo.app_meta().mode != "script":
            return None, "Not asked yet."
        try:
            release = session.count_outliers(
                definition, chosen.value, epsilon=epsilon.value, request_id=request_id.value or None
            )
        except eremite.EremiteError as error:
            return None, str(error)
        found = f"About {release.value} of {session.n_rows:,} rows are outliers in {', '.join(release.columns)}."
        return (
            release,
            f"{found} Epsilon {float(release.epsilon)}, {release.mechanism}, request {release.request_id!r}.",
        )

    count, words = answered()
    remaining = session.remaining_in_words
    mo.vstack(
        [mo.callout(words), *([count.plot(forecast=forecast)] if count else []), mo.md(f"**Remaining:** {remaining}")]
    )
    return remaining, words


@app.cell
def _(mo, remaining, words):
    if mo.app_meta().mode == "script":
        print(words, remaining, sep="\n")
    return


if __name__ == "__main__":
    app.run()
