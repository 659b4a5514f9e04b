"""One self-contained HTML page about the answers of a ledger: to read, to mail, to print.

It is made from public facts, releases and charges; nothing is looked up in a private table, and nothing is spent.
"""

from eremite.page.answers import answers_page
from eremite.page.sections import PublicTable

__all__ = ["PublicTable", "answers_page"]
