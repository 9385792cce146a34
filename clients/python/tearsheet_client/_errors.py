from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional


class TearsheetError(Exception):
    """The base of all errors of this client."""


class ApiError(TearsheetError):
    """The service answered with a failure."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        failure = _failure(body)
        #: The HTTP status.
        self.status = status
        #: Names the kind of failure. None if the answer does not come from the service, but from a proxy before it.
        self.code: Optional[str] = failure.get("code")
        #: The id under which the log of the service has this request.
        self.request_id: Optional[str] = failure.get("request_id") or headers.get("x-request-id")
        #: Messages by the path of the field.
        self.faults: Dict[str, List[str]] = failure.get("errors") or {}
        lines = [f"{path} {message}" for path, messages in self.faults.items() for message in messages]
        super().__init__(" ".join([f"The service answered {status}.", *lines]))


class ConnectionLostError(TearsheetError):
    """No answer came: the connection was lost, or the deadline of a try was over."""


class DeadlineError(TearsheetError):
    """A wait was longer than its deadline."""


class SignatureError(TearsheetError):
    """A message has no valid signature."""


def _failure(body: bytes) -> Dict[str, Any]:
    try:
        failure = json.loads(body)
    except ValueError:
        failure = None
    if isinstance(failure, dict):
        return failure
    return {"errors": {"response": ["is not JSON: " + body[:200].decode("utf-8", "replace")]}}
