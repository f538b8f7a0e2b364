"""The line between a worker and its engine process: JSON over the engine's standard input and output."""

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

MAX_UNCONFIRMED = 2


class Channel(Protocol):
    """The receiver of the engine's reports."""

    def record(self, kind: str, /, **fields: Any) -> None:
        """Report one record of the worker protocol."""

    def checkpoint(self, step: int, folder: Path, metrics: dict[str, float]) -> None:
        """Hand over a complete checkpoint folder; blocks while too many wait for their upload."""

    def end(self, **fields: Any) -> None:
        """Report that training is over; the last checkpoint handed over is the final one."""


class PipeChannel:
    """The engine process's end of the pipe; the process ends when the worker does."""

    def __init__(self) -> None:
        # Libraries print to standard output, so the pipe moves aside and their words go to standard error.
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._lock = threading.Lock()
        self._unconfirmed = threading.Semaphore(MAX_UNCONFIRMED)
        self.task: dict[str, Any] = json.loads(sys.stdin.readline())
        threading.Thread(target=self._listen, args=(self._unconfirmed.release,), daemon=True).start()

    def record(self, kind: str, /, **fields: Any) -> None:
        self._write({"message": "record", "kind": kind, "fields": fields})

    def checkpoint(self, step: int, folder: Path, metrics: dict[str, float]) -> None:
        self._unconfirmed.acquire()
        self._write({"message": "checkpoint", "step": step, "folder": os.fspath(folder), "metrics": metrics})

    def end(self, **fields: Any) -> None:
        self._write({"message": "end", "fields": fields})

    def error(self, kind: str, text: str, field: str | None) -> None:
        """Report why the job failed."""
        self._write({"message": "error", "kind": kind, "text": text, "field": field})

    def _write(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False)
        with self._lock:
            self._out.write(line + "\n")
            self._out.flush()

    @staticmethod
    def _listen(confirmed: Callable[[], None]) -> None:
        for _ in sys.stdin:
            confirmed()
        # The worker is gone; without it nothing that is computed here reaches anybody.
        os._exit(1)
