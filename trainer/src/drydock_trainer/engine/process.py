"""The worker's end of an engine process. Training runs apart from the worker: importing torch, a full GPU or
a crash cannot stop the heartbeats, and a cancelled job ends at once."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from drydock_trainer.engine.task import Task
from drydock_trainer.errors import JobError

SECRET_VARIABLES = ("DRYDOCK_API_KEY",)


class EngineProcess:
    """A process that trains one task."""

    def __init__(self, task: Task) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}
        # TRL trains on one GPU per process; on a machine with several the first is used.
        environment.setdefault("CUDA_VISIBLE_DEVICES", "0")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "drydock_trainer.engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        threading.Thread(target=self._pass_on_errors, daemon=True).start()
        self._killed = False
        self._tell(task.to_json())

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the engine reports, until it is done; a process that ends without a last word is an error."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.endswith("\n"):
                # The process was killed in the middle of its last word.
                break
            message: dict[str, Any] = json.loads(line)
            if message["message"] == "error":
                raise JobError(message["kind"], message["text"], message["field"])
            yield message
            if message["message"] == "end":
                return
        self._raise_for_end()

    def confirm_upload(self) -> None:
        """Tell the engine that one of its checkpoints is up."""
        self._tell({})

    def kill(self) -> None:
        """End the process at once; checkpoints that are complete stay in their folders."""
        self._killed = True
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def _pass_on_errors(self) -> None:
        """Show what the libraries say; writing to a standard error whose reader has gone would fail them."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with suppress(OSError, ValueError):
                sys.stderr.write(line)

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            # The process has ended; the reader of its messages learns why.
            return

    def _raise_for_end(self) -> None:
        code = self._process.wait()
        if self._killed:
            return
        if code == -signal.SIGKILL:
            raise JobError(
                "out_of_memory",
                "The system killed the engine process, most likely because the machine ran out of memory. "
                "Lower config.batch_size or config.max_sequence_length, or train a smaller model.",
            )
        raise JobError(
            "error", f"The engine process ended with code {code}. The trainer's own log has the details."
        )
