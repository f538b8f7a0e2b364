"""Reports of a running job: batched, numbered, sent again until the server has them, with heartbeats."""

import http.client
import logging
import threading
import urllib.error
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from drydock_trainer.errors import Stopped
from drydock_trainer.protocol.http import Api, HttpError

log = logging.getLogger(__name__)

BATCH_SECONDS = 1.0
HEARTBEAT_SECONDS = 3.0
HEARTBEAT_TIMEOUT_SECONDS = 10.0
LARGEST_BATCH = 1000
CALL_TIMEOUT_SECONDS = 60.0
# The server publishes the model before it answers `training_end`, which may take minutes.
END_TIMEOUT_SECONDS = 900.0
TERMINAL_TYPES = frozenset({"training_end", "training_error", "cancelled"})


class Progress:
    """The ordered stream of one attempt's records, with the server's wishes in return."""

    def __init__(self, api: Api, job: str, attempt: int, on_interrupt: Callable[[], None]) -> None:
        self._api = api
        self._path = f"/training/jobs/{job}/progress"
        self._attempt = attempt
        self._on_interrupt = on_interrupt
        self._outbox: deque[dict[str, Any]] = deque()
        self._next_seq = 1
        self._has_failed = False
        self._changed = threading.Condition()
        self._closing = False
        self._closed = threading.Event()
        self._contacted = threading.Event()
        self.cancelled = threading.Event()
        self.fenced = threading.Event()
        self._threads = [
            threading.Thread(target=self._send_loop, name="progress", daemon=True),
            threading.Thread(target=self._heartbeat_loop, name="heartbeat", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def add(self, kind: str, /, **fields: Any) -> None:
        """Queue one record."""
        with self._changed:
            record = {
                "seq": self._next_seq,
                "type": kind,
                "timestamp": datetime.now(UTC).isoformat(),
                **_storable(fields),
            }
            self._next_seq += 1
            self._outbox.append(record)
            self._changed.notify_all()

    def close(self) -> None:
        """Send what is queued, then stop; returns at once when the job belongs to another worker."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _send_loop(self) -> None:
        try:
            while (batch := self._next_batch()) is not None:
                if batch:
                    self._send(batch)
        except Stopped:
            pass
        finally:
            self._closed.set()
            # Wakes the heartbeat, which would otherwise sit out its pause.
            self._contacted.set()

    def _next_batch(self) -> list[dict[str, Any]] | None:
        with self._changed:
            # A second's worth of records goes in one call; what ends the job goes at once.
            self._changed.wait_for(self._is_urgent, timeout=BATCH_SECONDS)
            if self.fenced.is_set() or (self._closing and not self._outbox):
                return None
            return [self._outbox[index] for index in range(min(len(self._outbox), LARGEST_BATCH))]

    def _is_urgent(self) -> bool:
        return self._closing or self.fenced.is_set() or len(self._outbox) >= LARGEST_BATCH

    def _send(self, batch: list[dict[str, Any]]) -> None:
        ends = any(record["type"] in TERMINAL_TYPES for record in batch)
        timeout = END_TIMEOUT_SECONDS if ends else CALL_TIMEOUT_SECONDS
        try:
            answer = self._api.post(
                self._path, {"attempt": self._attempt, "records": batch}, self.fenced, timeout
            )
        except HttpError as error:
            self._refused(error)
            return
        with self._changed:
            while self._outbox and self._outbox[0]["seq"] < answer["next_seq"]:
                self._outbox.popleft()
        if self._has_failed:
            self._fence()
        self._heed(answer)

    def _refused(self, error: HttpError) -> None:
        """After a 409 the job is another worker's; after any other refusal it fails with the reason."""
        if error.status == 409 or self._has_failed:
            self._fence()
            return
        log.error("%s; the job fails.", error)
        with self._changed:
            self._has_failed = True
            self._next_seq = self._outbox[0]["seq"]
            self._outbox.clear()
        message = f"The server refused a report of the trainer: {error}."
        self.add("training_error", kind="error", field=None, message=message)
        self._on_interrupt()

    def _heed(self, answer: dict[str, Any]) -> None:
        self._contacted.set()
        if answer.get("action") == "cancel" and not self.cancelled.is_set():
            self.cancelled.set()
            self._on_interrupt()

    def _fence(self) -> None:
        if not self.fenced.is_set():
            self.fenced.set()
            self._on_interrupt()
        with self._changed:
            self._changed.notify_all()

    def _heartbeat_loop(self) -> None:
        """Renew the lease whenever no other call did, also while a long one is under way."""
        while not self._closed.is_set():
            if self._contacted.wait(HEARTBEAT_SECONDS):
                self._contacted.clear()
                self._closed.wait(BATCH_SECONDS)
                continue
            self._heartbeat()

    def _heartbeat(self) -> None:
        body: dict[str, Any] = {"attempt": self._attempt, "records": []}
        try:
            answer = self._api.post_once(self._path, body, HEARTBEAT_TIMEOUT_SECONDS)
        except urllib.error.HTTPError as error:
            if error.code == 409:
                self._fence()
        except (OSError, ValueError, http.client.HTTPException) as error:
            log.warning("A heartbeat failed (%s).", type(error).__name__)
        else:
            self._heed(answer)
            self._contacted.clear()


def _storable(value: Any) -> Any:
    """PostgreSQL stores neither NUL nor halves of surrogate pairs, which messages of libraries may hold."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return value
