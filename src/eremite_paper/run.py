"""All experiments, figures and claims, into one folder."""

from dataclasses import dataclass
from pathlib import Path

from eremite.errors import InputError
from eremite_paper.claims import Claim, claims_page
from eremite_paper.claims_on_counts import claims_on_counts
from eremite_paper.claims_on_guarantees import claims_on_guarantees
from eremite_paper.claims_on_subspaces import claims_on_subspaces
from eremite_paper.experiments import Progress, Results, run_all
from eremite_paper.files import where_to_get
from eremite_paper.setting import Setting


@dataclass(frozen=True, slots=True)
class Outcome:
    """The folder of a finished run, its claims, and what was left out."""

    folder: Path
    claims: list[Claim]
    left_out: str | None


def run(setting: Setting, folder: Path, progress: Progress) -> Outcome:
    """Write tables to `tables`, figures to `figures`, and claims.md. Finished tables of an earlier run are kept.

    The same setting gives the same files, but for seconds. Nothing here is private: all tables are generated or public.
    """
    try:
        from eremite_paper.figures import draw_all
    except ModuleNotFoundError:
        raise InputError("eremite paper draws with matplotlib: pip install 'eremite[plots]'.") from None
    try:
        results = run_all(setting, folder / "tables", progress)
        claims = all_claims(results)
        left_out = where_to_get(setting.files.missing) if setting.files.missing else None
        draw_all(results, folder / "figures")
        (folder / "claims.md").write_text(claims_page(claims, setting.in_words, left_out))
    except OSError as error:
        raise InputError(f"Cannot write to {folder}: {error.strerror}; choose another --output.") from None
    return Outcome(folder, claims, left_out)


def all_claims(results: Results) -> list[Claim]:
    """Every claim with its verdict. They depend on the results alone."""
    return [*claims_on_guarantees(results), *claims_on_counts(results), *claims_on_subspaces(results)]
