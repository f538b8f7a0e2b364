"""Upload of checkpoint folders to object storage by one presigned PUT for each part of at most 64 MiB."""

import hashlib
import os
import queue
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drydock_trainer.errors import Stopped
from drydock_trainer.protocol.http import Api, retried, upload

MAX_WAITING = 1
POLL_INTERVAL_SECONDS = 0.2


def describe(folder: Path) -> list[dict[str, Any]]:
    """Every file below a folder with path, size and digest, ordered by path."""
    files = []
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        relative = path.relative_to(folder).as_posix()
        files.append({"path": relative, "size_bytes": path.stat().st_size, "sha256": digest})
    return files


class CheckpointUploader:
    """Uploads checkpoints in the background, in order, and tells when all parts of one are up."""

    def __init__(
        self,
        api: Api,
        job: str,
        attempt: int,
        stop: threading.Event,
        saved: Callable[[int, dict[str, Any]], None],
        failed: Callable[[], None],
    ) -> None:
        self._api = api
        self._path = f"/training/jobs/{job}/checkpoints"
        self._attempt = attempt
        self._stop = stop
        self._saved = saved
        self._failed = failed
        self._queue: queue.Queue[tuple[int, Path, dict[str, Any]] | None] = queue.Queue(MAX_WAITING)
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def add(self, step: int, folder: Path, metrics: dict[str, Any]) -> None:
        """Queue a folder, which is removed once it is up; blocks while another one is waiting."""
        self._put_in_line((step, folder, metrics))

    def finish(self) -> None:
        """Wait until everything queued is up, and raise what went wrong."""
        self._put_in_line(None)
        while self._thread.is_alive():
            self._thread.join(POLL_INTERVAL_SECONDS)
            self._check_stopped()
        if self.failure is not None:
            raise self.failure

    def _put_in_line(self, item: tuple[int, Path, dict[str, Any]] | None) -> None:
        while True:
            self._check_stopped()
            try:
                return self._queue.put(item, timeout=POLL_INTERVAL_SECONDS)
            except queue.Full:
                continue

    def _check_stopped(self) -> None:
        # A part that is being sent may take minutes, which a cancelled job does not wait for.
        if self._stop.is_set():
            raise Stopped("uploading a checkpoint")

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if self.failure is not None:
                continue
            step, folder, metrics = item
            try:
                self._upload(step, folder)
                self._saved(step, metrics)
                shutil.rmtree(folder, ignore_errors=True)
            except Exception as error:
                self.failure = error
                self._failed()

    def _upload(self, step: int, folder: Path) -> None:
        files = describe(folder)
        answer = self._api.post(
            self._path, {"attempt": self._attempt, "step": step, "files": files}, self._stop
        )
        for file in answer["files"]:
            path = os.fspath(folder / file["path"])
            for part in file["parts"]:
                self._put(path, part)

    def _put(self, path: str, part: dict[str, Any]) -> None:
        offset, size = int(part["offset"]), int(part["size_bytes"])
        retried(
            lambda: upload(part["url"], path, offset, size),
            f"Uploading bytes {offset} to {offset + size} of a checkpoint",
            self._stop,
        )
