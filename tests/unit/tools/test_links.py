"""Links are right in the repository and in the site."""

import pytest

from tools.links import proofs_linked, repository_links_turned

BROUGHT_IN = {
    "CHANGELOG.md": "changelog.md",
    "src/eremite/queries/count.proof.md": "proofs/queries/count.proof.md",
    "src/eremite/ledger/decide.proof.md": "proofs/ledger/decide.proof.md",
}


@pytest.mark.parametrize(
    ("place", "written", "turned"),
    [
        ("guarantee.md", "../src/eremite/queries/count.proof.md", "proofs/queries/count.proof.md"),
        ("how-to/x.md", "../../src/eremite/queries/count.proof.md#p2", "../proofs/queries/count.proof.md#p2"),
        ("how-to/x.md", "../../CHANGELOG.md", "../changelog.md"),
        ("changelog.md", "docs/guarantee.md", "guarantee.md"),
        ("proofs/queries/count.proof.md", "../ledger/decide.proof.md", "../ledger/decide.proof.md"),
        ("how-to/x.md", "../ledger.md#sums", "../ledger.md#sums"),
        ("guarantee.md", "https://example.org/x.md", "https://example.org/x.md"),
        ("guarantee.md", "#here", "#here"),
        ("guarantee.md", "../src/eremite/nowhere.py", "../src/eremite/nowhere.py"),  # mkdocs then warns
    ],
)
def test_link_of_the_repository_becomes_one_of_the_site(place, written, turned):
    assert repository_links_turned(f"a [b]({written}) c", place, BROUGHT_IN) == f"a [b]({turned}) c"


def test_mention_of_a_proof_becomes_a_link():
    html = proofs_linked("see <code>queries/count.proof.md</code>", "guarantee.html", BROUGHT_IN)
    assert html == 'see <a href="proofs/queries/count.proof.html"><code>queries/count.proof.md</code></a>'


def test_mention_that_is_a_link_or_no_proof_stays():
    for html in ("<a><code>count.proof.md</code></a>", "<code>other.proof.md</code>", "<code>count.md</code>"):
        assert proofs_linked(html, "guarantee.html", BROUGHT_IN) == html
