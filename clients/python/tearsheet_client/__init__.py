"""The client for the API of Tearsheet: pictures of ads in place."""

from ._client import Tearsheet
from ._errors import ApiError, ConnectionLostError, DeadlineError, SignatureError, TearsheetError
from ._warnings import request_warnings
from ._webhook import verify_webhook

__all__ = [
    "ApiError",
    "ConnectionLostError",
    "DeadlineError",
    "SignatureError",
    "Tearsheet",
    "TearsheetError",
    "request_warnings",
    "verify_webhook",
]
