"""Pages for people: analysts ask and look, custodians set caps, make tokens and audit.

Pages use the same desk, ledgers and tokens as the API, and show nothing that it does not. A page is HTML made here; it
loads nothing from elsewhere, and works without scripts. Signing in turns a token into a cookie, which only pages take:
the API never looks at a cookie, and pages never look at an Authorization header.
"""

from eremite.service.web.router import add_pages

__all__ = ["add_pages"]
