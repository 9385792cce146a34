from __future__ import annotations

import email.utils
import json
import random
import re
import time
import uuid
from typing import Any

import httpx

from .api.reading import get_screenshot_set
from .client import AuthenticatedClient
from .models import ScreenshotSet

_LONGEST_DELAY = 30.0
_LONGEST_RETRY_AFTER = 60.0
#: The service did nothing yet when it answers these.
_REFUSALS = (429, 503)
#: A proxy answers these; the service may have done the work.
_LOST = (502, 504)
#: The service does these POSTs once for each Idempotency-Key, or answers with what exists already.
_REPEATABLE_POST = re.compile(r"/(?:ads|uploads|templates|screenshot_requests|retake|duplicate|replay|exports)$")


class ApiError(Exception):
    """The service answered with a failure."""

    def __init__(self, response: httpx.Response) -> None:
        failure = _failure(response)
        #: The HTTP status.
        self.status = response.status_code
        #: Names the kind of failure. None if the answer comes from a proxy before the service.
        self.code: str | None = failure.get("code")
        #: The id under which the log of the service has this request.
        self.request_id: str | None = failure.get("request_id") or response.headers.get("x-request-id")
        #: Messages by the path of the field.
        self.faults: dict[str, list[str]] = failure.get("errors") or {}
        lines = [f"{path} {message}" for path, messages in self.faults.items() for message in messages]
        super().__init__(" ".join([f"The service answered {self.status}.", *lines]))


def connect(
    base_url: str, api_key: str, *, max_retries: int = 4, retry_delay: float = 0.5, timeout: float = 60.0
) -> AuthenticatedClient:
    """
    Returns the client to pass to the functions in `tearsheet_client.api`. Times are in seconds. It repeats a call at most
    `max_retries` times after 429, 502, 503, 504 or a lost connection. `retry_delay` is the first wait; each further wait is
    twice as long, at most 30 s. `timeout` limits each wait for the network.
    """
    return AuthenticatedClient(
        base_url=base_url.rstrip("/"),
        token=api_key,
        timeout=httpx.Timeout(timeout),
        httpx_args={
            "transport": _Retries(httpx.HTTPTransport(), max_retries, retry_delay),
            "event_hooks": {"response": [_raise_failure]},
        },
    )


def wait_for_screenshot_set(
    organization: str, id: uuid.UUID, *, client: AuthenticatedClient, deadline: float = 900.0, interval: float = 2.0
) -> ScreenshotSet:
    """
    Waits until all pictures of a set are taken or failed, and returns the set. It is then `approved`, `failed`, `canceled`
    or, where people review, `in_review` or `rejected`. Times are in seconds. Raises TimeoutError at the deadline.
    """
    end = time.monotonic() + deadline
    while True:
        found = get_screenshot_set.sync(organization, id, client=client)
        assert found is not None
        if found.status not in ("draft", "capturing"):
            return found
        if time.monotonic() + interval > end:
            raise TimeoutError(f"Set {id} is still {found.status} after {deadline:g} s. Its capture continues.")
        time.sleep(interval)


class _Retries(httpx.BaseTransport):
    def __init__(self, transport: httpx.BaseTransport, max_retries: int, retry_delay: float) -> None:
        self._transport = transport
        self._max_retries = max_retries
        self._retry_delay = retry_delay

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            # The same in each try, so that the service does the work once.
            request.headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        # A file is read once, so that each try sends all of it.
        request.read()
        retries = 0
        while True:
            try:
                response = self._transport.handle_request(request)
                delay = _delay(request, response)
                if delay is None or retries == self._max_retries:
                    return response
                response.close()
            except httpx.TransportError:
                if not _is_repeatable(request) or retries == self._max_retries:
                    raise
                delay = 0.0
            # Clients that failed together must not come back together.
            back_off = min(self._retry_delay * 2.0**retries, _LONGEST_DELAY) * (0.5 + random.random() / 2)
            time.sleep(delay or back_off)
            retries += 1

    def close(self) -> None:
        self._transport.close()


def _is_repeatable(request: httpx.Request) -> bool:
    """Whether a second identical request has no further effect."""
    return request.method != "POST" or _REPEATABLE_POST.search(request.url.path) is not None


def _delay(request: httpx.Request, response: httpx.Response) -> float | None:
    """The wait in seconds that the service asks for, or 0; None if the call must not be repeated."""
    status = response.status_code
    if status not in _REFUSALS and not (status in _LOST and _is_repeatable(request)):
        return None
    delay = _retry_after(response.headers.get("retry-after", ""))
    return delay if delay <= _LONGEST_RETRY_AFTER else None


def _retry_after(value: str) -> float:
    """Reads seconds or a date."""
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0


def _raise_failure(response: httpx.Response) -> None:
    if not response.is_success:
        response.read()
        raise ApiError(response)


def _failure(response: httpx.Response) -> dict[str, Any]:
    try:
        failure = json.loads(response.content)
    except ValueError:
        failure = None
    return failure if isinstance(failure, dict) else {"errors": {"response": ["is not JSON: " + response.text[:200]]}}
