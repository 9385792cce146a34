from __future__ import annotations

import os
import time
from typing import Union

from ._errors import DeadlineError
from ._operations import Operations
from .models import ScreenshotSet, Upload


class Tearsheet(Operations):
    """A client for one organization of one service."""

    def wait_for_screenshot_set(self, id: str, *, deadline: float = 900.0, interval: float = 2.0) -> ScreenshotSet:
        """
        Waits until all pictures of a set are taken or failed, and returns the set as `get_screenshot_set` does. The set is
        then `approved`, `failed`, `canceled` or, where people review, `in_review` or `rejected`. Times are in seconds.
        """
        end = time.monotonic() + deadline
        while True:
            found = self.get_screenshot_set(id)
            if found["status"] not in ("draft", "capturing"):
                return found
            if time.monotonic() + interval > end:
                raise DeadlineError(f"Set {id} is still {found['status']} after {deadline:g} s. Its capture continues.")
            time.sleep(interval)

    def upload_file(self, path: Union[str, "os.PathLike[str]"]) -> Upload:
        """Uploads a file from a disk under its own name, as `create_upload` does."""
        with open(path, "rb") as file:
            return self.create_upload(file.read(), name=os.path.basename(path))
