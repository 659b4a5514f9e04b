"""A claim of the paper with its verdict, and the page claims.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "holds with a correction", "does not hold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim of the paper and the results of this run."""

    where: str
    claim: str
    stated: str
    formulas: str  # with the paper's own formulas
    proved: str  # what is actually proved
    ours: str
    verdict: Verdict
    why: str


def claims_page(claims: Sequence[Claim], made_with: str, left_out: str | None) -> str:
    """claims.md: a table of all verdicts, then each claim with its numbers."""
    counted = {verdict: sum(one.verdict == verdict for one in claims) for verdict in _VERDICTS}
    glance = ", ".join(f"{count} {_plural(verdict, count)}" for verdict, count in counted.items())
    lines = [
        "# What the paper claims, and what came out",
        "",
        "Okada, Fukuchi, Kakizaki and Sakuma, *Differentially Private Analysis of Outliers* (2015), sections 4 to 7.",
        f"Of {len(claims)} claims {glance}. Made with: {made_with}.",
        *(["", left_out] if left_out else []),
        "",
        "| | claim | verdict |",
        "|---|---|---|",
        *(f"| {number} | {_cell(one.claim)} | **{one.verdict}** |" for number, one in enumerate(claims, 1)),
        *(line for number, one in enumerate(claims, 1) for line in _section(number, one)),
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """The text with vertical bars escaped, since a bar would end the cell."""
    return text.replace("|", "\\|")


_VERDICTS: tuple[Verdict, ...] = ("holds", "holds with a correction", "does not hold")


def _plural(verdict: Verdict, count: int) -> str:
    return verdict if count == 1 else verdict.replace("holds", "hold").replace("does not", "do not")


def _section(number: int, one: Claim) -> list[str]:
    return [
        "",
        f"## {number}. {one.claim}",
        "",
        f"{one.where}. Verdict: **{one.verdict}**. {one.why}",
        "",
        "| stated | with the paper's formulas | with what is proved | ours |",
        "|---|---|---|---|",
        "| " + " | ".join(map(_cell, (one.stated, one.formulas, one.proved, one.ours))) + " |",
    ]
