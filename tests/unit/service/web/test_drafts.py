"""Forms of jobs are kept up to a limit."""

from eremite.service.web.drafts import Draft, Drafts
from eremite.service.web.forms import Form


def draft(text: str) -> Draft:
    return Draft("count", Form({"k": [text]}))


def test_form_of_a_job_is_found() -> None:
    drafts = Drafts()
    drafts.keep("job", draft("5"))
    assert drafts.find("job") == draft("5")
    assert drafts.find("other") is None


def test_oldest_forms_make_room() -> None:
    drafts = Drafts(most_chars=25)
    for name in ("a", "b", "c"):
        drafts.keep(name, draft("x" * 10))
    assert [drafts.find(name) is None for name in ("a", "b", "c")] == [True, False, False]


def test_form_that_is_too_long_is_not_kept() -> None:
    drafts = Drafts(most_chars=5)
    drafts.keep("long", draft("x" * 10))
    drafts.keep("short", draft("x"))
    assert drafts.find("long") is None
    assert drafts.find("short") is not None
