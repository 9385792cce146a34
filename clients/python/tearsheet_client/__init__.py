"""The client for the API of Tearsheet: pictures of ads in place."""

from ._connect import ApiError, connect, wait_for_screenshot_set
from ._webhook import SignatureError, WebhookEvent, verify_webhook
from .client import AuthenticatedClient

__all__ = [
    "ApiError",
    "AuthenticatedClient",
    "SignatureError",
    "WebhookEvent",
    "connect",
    "verify_webhook",
    "wait_for_screenshot_set",
]
