"""The client: plays matches of a tournament that a service elsewhere hands out over HTTP.

`Client` has the methods of `Tournament` that a program needs to play, and `MatchSource` describes
what both have. HTTP is done by the standard library alone.
"""

from maxin.service.client.client import Client
from maxin.service.client.errors import AccessDenied, ServiceLost
from maxin.service.client.protocol import MatchSource
from maxin.service.client.work_report import WorkFailed, WorkReport

__all__ = ["AccessDenied", "Client", "MatchSource", "ServiceLost", "WorkFailed", "WorkReport"]
