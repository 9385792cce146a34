from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterable
from typing import Literal, Protocol, TypedDict, cast

_TOLERANCE_SECONDS = 300


class SignatureError(Exception):
    """A message has no valid signature."""


class WebhookEvent(TypedDict):
    """The body of a webhook. docs/webhooks.md shows one for each topic."""

    id: str
    type: Literal["event"]
    topic: str
    created_at: str
    data: dict[str, dict[str, object]]


class Headers(Protocol):
    """The headers of a request in any web framework, or as a dictionary."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(secret: str, headers: Headers, body: bytes | str) -> WebhookEvent:
    """
    Verifies a webhook as Standard Webhooks defines, and returns its event. Pass the body as it arrived.
    Raises SignatureError if the message does not come from Tearsheet, or is older than five minutes.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > _TOLERANCE_SECONDS:
        raise SignatureError("The message is older than five minutes, or its time is in the future.")
    content = body.encode() if isinstance(body, str) else body
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    except ValueError as error:
        raise SignatureError("The secret is not base64.") from error
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = base64.b64encode(digest)
    for signature in given.get("webhook-signature", "").split(" "):
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(value.encode(), expected):
            return cast(WebhookEvent, json.loads(content))
    raise SignatureError("No signature of the message is valid for this secret.")
