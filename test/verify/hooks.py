"""What schemathesis cannot learn from the OpenAPI document."""

import itertools
import os
import re

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

# The key of the run. Without it, all later requests would only get 401.
OWN_KEY_ID = os.environ["OWN_KEY_ID"]
UNKNOWN_KEY_ID = "AAAAAAAA"
IDEMPOTENCY_KEY_MAX = 255
LOOKUP_KEY_MAX = 255
numbers = itertools.count(1)

# Rules that JSON Schema cannot express: they depend on other fields, the clock, stored objects, settings, the network or
# the bytes of a file. A valid request may break them, so the service answers 422 or 415 with one of these messages.
BEYOND_THE_SCHEMA = re.compile(
    "|".join(
        (
            r'must not be after "to"\.',
            r"must be in the future\.",
            r"must be at most \d+ days from now\.",
            r'must be at most \d+ days before "to"\.',
            r"must be the IANA name of a time zone",
            r"must have five fields, each after one space: ",
            r"is no cron expression: ",
            r"would run \d+ minutes after another run: ",
            r"must be left out beside a window\.",
            r"is required, unless there is a window: ",
            r"must be after start, by at most ",
            r'has no run between "from" and "to" ',
            r"is the id of a template without ",
            r"is required, or one of template and screenshot_set: ",
            r"is not available: the operator ",
            r"must be one of these locations: ",
            r"belongs to the browser or the connection: ",
            r"cannot be saved in a template, ",
            r"cannot be changed: a retake keeps ",
            r"must have no cookies and headers of pages: ",
            r"is the id of a set with cookies or headers of pages: ",
            r"must have at most [\d,]+ characters in all cookies and headers",
            r"has the same name twice\.",
            r"must have at most \d+ frames: seconds × fps\.",
            r"must be a valid address\.",
            r"must be a host name such as ",
            r'must have at least two names after "\*\.", ',
            r"must be a path without query and fragment, ",
            r"must be one CSS selector, ",
            r"must have :has\(\) at most once, ",
            r"is required, unless there is one of hide, ",
            r"is the size of an earlier slot: ",
            r"is required, because no value of this name is stored for this host\.",
            r"is required, because the rule would have no part left: ",
            r"has the same path and device as data",
            r"must have at most one frame, because ",
            r"must be the same as in \S+, because one picture shows all ads of a group\.",
            r"exceeds the limit of \d+ ads in the picture of ",
            r"repeats \S+: the picture of a group shows each ad once\.",
            r"must be an e-mail address, ",
            r"must not contain a user name or password\.",
            r"is not allowed: \S+ is not a public address",
            r"is not the (id|name|lookup key) of an? ",
            r"is the lookup key of ads of several campaigns: ",
            r"is required: the size of this ad is not known ",
            r"needs an S3 connector",
            r"cannot be used: this service has no AWS identity\.",
            r"needs a connector: ",
            r"is required for a new ad: ",
            r"is required, unless there is something else, ",
            r"has more faults: ",
            r"is required: there is no stored secret for this access key\.",
            r"must be the name of a bucket",
            r"must not (begin|end) with \S+, ",
            r"must be at most \d+: the set has \d+ pictures\.",
            r"is set by the service: use another header\.",
            r"must name each header once\.",
            r"must not contain the character U\+0000\.",
            r"must not contain control characters\.",
            r'must not contain "\." or "\.\." between slashes\.',
            r"must be at most [\d,]+ bytes of (UTF-8|JSON in all)",
            r"must be at most \d+ characters when it is percent-encoded",
            r"has a key that is not a text of ",
            r"has the id \S+, but this set and its retakes have no such screenshot\.",
            r"has the id \S+, but the set has no such screenshot\.",
            r"must have no files as pages: ",
            r"must have both width and height, or neither: ",
            r"must have an area, because a screenshot of a page has no slots: ",
            r"must be the id of a screenshot \(PNG, JPEG, WebP\) or of a saved page ",
            r"is the id of a saved page \(MHTML\), ",
            r"must be left out: only the first comment on a picture has one\.",
            r"must be a PNG, JPEG, WebP or SVG file",
            r"The creative is ",
            r"makes a screen of [\d,]+ device pixels",
            r"must not be empty: it has no bytes\.",
        )
    )
)


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if case.path_parameters.get("key_id") == OWN_KEY_ID:
        case.path_parameters["key_id"] = UNKNOWN_KEY_ID
    make_lookup_keys_unique(case.body)
    # Different bodies with one idempotency key are a fault. The length stays, because the document limits it.
    key = case.headers.get("Idempotency-Key")
    if key is not None and 1 <= len(key) <= IDEMPOTENCY_KEY_MAX:
        case.headers["Idempotency-Key"] = f"{next(numbers)}-{key}"[: max(len(key), 8)]


def make_lookup_keys_unique(value):
    """Makes ads new. For one that exists, the service ignores the other fields, also wrong ones."""
    if isinstance(value, dict):
        key = value.get("lookup_key")
        if isinstance(key, str) and 1 <= len(key.strip()) <= LOOKUP_KEY_MAX:
            value["lookup_key"] = f"{next(numbers)}-{key}"[: max(len(key), 8)]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            make_lookup_keys_unique(part)


@schemathesis.hook
def filter_failure(ctx, failure, case, response):
    """Drops the failure if only rules beyond the schema rejected the request."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code not in (415, 422):
        return True
    messages = [message for field in response.json()["errors"].values() for message in field]
    return not all(BEYOND_THE_SCHEMA.match(message) for message in messages)
