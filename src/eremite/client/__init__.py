"""Ask a service as one asks a session: the same methods, the same releases, the same errors.

The client has no rows and plans nothing: it needs httpx, and none of the packages that count.
"""

from eremite.client.connecting import connect
from eremite.client.jobs import Job
from eremite.client.remote import RemoteSession

__all__ = ["Job", "RemoteSession", "connect"]
