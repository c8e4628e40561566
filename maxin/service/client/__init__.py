"""The client: plays matches of a tournament that a service elsewhere hands out over HTTP.

`Client` has the methods of `Tournament` that a program needs to play; `MatchSource` describes what
both have. HTTP is done by the standard library alone.
"""

from maxin.service.client.client import Client
from maxin.service.client.errors import AccessDenied, ServiceLost

__all__ = ["AccessDenied", "Client", "ServiceLost"]
