from __future__ import annotations

from typing import List, Mapping, cast

from .models import RequestWarning


def request_warnings(answer: Mapping[str, object]) -> List[RequestWarning]:
    """Returns the fields and query parameters of the request that the service ignored, because it does not know them."""
    return cast("List[RequestWarning]", answer.get("request_warnings", []))
