from __future__ import annotations

import email.utils
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Union

from ._errors import ApiError, ConnectionLostError

_LONGEST_DELAY = 30.0
#: The service did nothing yet when it answers these.
_REFUSALS = (429, 503)
#: A proxy answers these; the service may have done the work.
_LOST = (502, 504)


class Caller:
    """Sends requests, repeats them where that is safe, and reads lists page by page."""

    def __init__(
        self,
        base_url: str,
        organization: str,
        api_key: str,
        *,
        max_retries: int = 4,
        retry_delay: float = 0.5,
        max_retry_after: float = 60.0,
        timeout: float = 60.0,
    ) -> None:
        """
        Times are in seconds. A call is repeated at most `max_retries` times after 429, 502, 503, 504 or a lost connection.
        `retry_delay` is the first wait; each further wait is twice as long, at most 30 s. A call fails at once if the
        service asks for a longer wait than `max_retry_after`. `timeout` limits each wait for the network.
        """
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url must start with http:// or https://, but is {base_url!r}.")
        self._base = f"{base_url.rstrip('/')}/api/v1/orgs/{quoted(organization)}"
        self._api_key = api_key
        self._max_retries = max_retries
        self._retry_delay = retry_delay
        self._max_retry_after = max_retry_after
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects())

    def call(
        self,
        method: str,
        path: str,
        *,
        repeatable: bool,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Sends one request. `repeatable`: a second identical request has no further effect."""
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        data = None
        if body is not None:
            is_file = isinstance(body, (bytes, bytearray))
            data = bytes(body) if is_file else json.dumps(body).encode()
            headers["Content-Type"] = "application/octet-stream" if is_file else "application/json"
        if method == "POST":
            # The same in each try, so that the service does the work once.
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        url = self._base + path + _query_string(query)
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        for retries in range(self._max_retries + 1):
            outcome = self._send(request)
            if not isinstance(outcome, Exception):
                return json.loads(outcome) if outcome else None
            delay = self._delay(outcome, repeatable, retries)
            if delay is None or retries == self._max_retries:
                raise outcome
            time.sleep(delay)
        raise AssertionError("unreachable")

    def iterate(self, read: Callable[[int], Any], first: int) -> Iterator[Any]:
        before: Dict[str, None] = {}
        number = first
        while True:
            page = read(number)
            ids = {_id_of(each): None for each in page["data"]}
            for each in page["data"]:
                # A new object moves the last one of a page to the next page.
                if _id_of(each) not in before:
                    yield each
            if not page["data"] or number * page["per_page"] >= page["total"]:
                return
            before = ids
            number += 1

    def _send(self, request: urllib.request.Request) -> Union[bytes, ApiError, ConnectionLostError]:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                content: bytes = response.read()
                return content
        except urllib.error.HTTPError as error:
            try:
                headers = {name.lower(): value for name, value in error.headers.items()}
                return _Refused(error.code, headers, error.read())
            except (OSError, http.client.HTTPException) as lost:
                return _lost(request, lost)
        except (OSError, http.client.HTTPException) as error:
            return _lost(request, error)

    def _delay(self, error: Exception, repeatable: bool, retries: int) -> Optional[float]:
        """None if the call must not be repeated."""
        status = error.status if isinstance(error, ApiError) else None
        is_lost = status is None or status in _LOST
        if status not in _REFUSALS and not (is_lost and repeatable):
            return None
        asked = error.retry_after if isinstance(error, _Refused) else None
        if asked is not None:
            return asked if asked <= self._max_retry_after else None
        delay = min(self._retry_delay * 2.0**retries, _LONGEST_DELAY)
        # Clients that failed together must not come back together.
        return delay * (0.5 + random.random() / 2)


class _Refused(ApiError):
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status, headers, body)
        self.retry_after = _retry_after(headers.get("retry-after"))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The standard library would send the key to the new address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _lost(request: urllib.request.Request, error: Exception) -> ConnectionLostError:
    lost = ConnectionLostError(f"{request.get_method()} {request.full_url} got no answer: {error}")
    lost.__cause__ = error
    return lost


def _id_of(item: Any) -> str:
    return str(item["id"]) if isinstance(item, dict) and "id" in item else json.dumps(item, sort_keys=True)


def _query_string(query: Optional[Mapping[str, Any]]) -> str:
    given: Dict[str, str] = {}
    for name, value in (query or {}).items():
        if isinstance(value, Mapping):
            given.update({f"{name}[{key}]": _text(each) for key, each in value.items()})
        elif value is not None:
            given[name] = _text(value)
    return "?" + urllib.parse.urlencode(given) if given else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _retry_after(value: Optional[str]) -> Optional[float]:
    """The wait in seconds that the service asks for, as seconds or as a date."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
