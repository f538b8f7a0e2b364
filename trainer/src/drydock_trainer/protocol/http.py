"""JSON calls, downloads and uploads over HTTP, sent again after whatever a second attempt can cure."""

import errno
import http.client
import json
import logging
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from typing import IO, Any, TypeVar, cast

from drydock_trainer import __version__
from drydock_trainer.errors import Stopped

log = logging.getLogger(__name__)

RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
# These come from the trainer's own disk, where a second attempt of the network call changes nothing.
LOCAL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOENT, errno.EIO})

Json = dict[str, Any]
T = TypeVar("T")


class HttpError(Exception):
    """The server answered with an error that no second attempt cures."""

    def __init__(self, status: int, body: Json, what: str) -> None:
        # Texts that contain this one end with a full stop of their own.
        detail = str(body.get("detail") or body.get("message") or "no detail").rstrip(".")
        super().__init__(f"{what} was answered with {status}: {detail}")
        self.status = status
        self.body = body


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are errors: following one would hand the key to another host."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


@contextmanager
def _opened(request: urllib.request.Request, timeout: float) -> Iterator[http.client.HTTPResponse]:
    with _opener.open(request, timeout=timeout) as response:
        yield cast(http.client.HTTPResponse, response)


def _parsed(data: bytes) -> Json | None:
    try:
        value = json.loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _body_of(error: urllib.error.HTTPError) -> Json:
    try:
        return _parsed(error.read(1 << 20)) or {}
    except (OSError, http.client.HTTPException):
        return {}


def retried(attempt: Callable[[], T], what: str, stop: threading.Event) -> T:
    """Repeat `attempt` with back-off for as long as its failure can pass; `stop` ends it with `Stopped`."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        if stop.is_set():
            raise Stopped(what)
        wait = pause
        try:
            return attempt()
        except urllib.error.HTTPError as error:
            body = _body_of(error)
            # A quota that is used up stays used up: the server says so in this header.
            is_final = error.headers.get("x-should-retry") == "false"
            if is_final or error.code not in RETRIED_STATUSES:
                raise HttpError(error.code, body, what) from None
            wait = max(pause, _retry_after(error.headers))
            log.warning("%s was answered with %d; next attempt in %.1f s", what, error.code, wait)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in LOCAL_ERRORS:
                raise
            log.warning("%s failed (%s); next attempt in %.1f s", what, type(error).__name__, wait)
        stop.wait(wait)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


def _retry_after(headers: Message) -> float:
    value = headers.get("Retry-After", "")
    return min(float(value), 60.0) if value.isdigit() else 0.0


class Api:
    """The worker's side of the server's API: one workspace, one key."""

    def __init__(self, url: str, organization: str, workspace: str, key: str) -> None:
        self._base = f"{url.rstrip('/')}/api/v1/org/{organization}/ws/{workspace}"
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"drydock-trainer/{__version__}",
        }

    def post_once(self, path: str, body: Json, timeout: float) -> Json:
        """One POST without a second attempt."""
        # Floats travel with `repr`, which JSON readers turn back into the same bits; NaN would not be JSON.
        data = json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
        request = urllib.request.Request(self._base + path, data=data, headers=self._headers, method="POST")
        with _opened(request, timeout) as response:
            answer = _parsed(response.read())
        if answer is None:
            # A proxy answered instead of the server, which may answer the next attempt itself.
            raise ConnectionError(f"the answer to POST {path} is not a JSON object")
        return answer

    def post(self, path: str, body: Json, stop: threading.Event, timeout: float = 60.0) -> Json:
        """POST until a response arrives; every call of the protocol can be repeated."""
        return retried(lambda: self.post_once(path, body, timeout), f"POST {path}", stop)


@contextmanager
def download(url: str, timeout: float = 60.0) -> Iterator[http.client.HTTPResponse]:
    """Open a presigned address; the key is not sent along."""
    with _opened(urllib.request.Request(url), timeout) as response:
        yield response


class _Slice:
    """A part of an open file, which `http.client` reads block by block."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(block)
        return block


def upload(url: str, path: str, offset: int, size: int, timeout: float = 120.0) -> None:
    """PUT `size` bytes of a file to a presigned address."""
    with open(path, "rb") as file:
        file.seek(offset)
        headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
        body = cast(Any, _Slice(file, size))
        request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
        with _opened(request, timeout) as response:
            response.read()
