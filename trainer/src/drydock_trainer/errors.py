"""Errors that end a job, in the words that the server and its users see."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

ErrorKind = Literal["refused", "bad_data", "out_of_memory", "nan_loss", "disk_full", "error"]


class JobError(Exception):
    """A job failed for a reason that its owner can act on."""

    def __init__(self, kind: ErrorKind, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.field = field


class Stopped(Exception):
    """The job ended from outside: it was cancelled, or another worker has it."""


@contextmanager
def disk_full_named(folder: str | os.PathLike[str], needed_bytes: int, what: str) -> Iterator[None]:
    """Turn "no space left on device" into a job error that names the folder and the size that is needed."""
    try:
        yield
    except (JobError, Stopped):
        raise
    except Exception as error:
        free = shutil.disk_usage(folder).free
        # Writers in native code report a full disk with errors of their own, without the system's number.
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "os error 28" in str(error)
        if not full and free >= needed_bytes:
            raise
        raise JobError(
            "disk_full",
            f"The trainer's disk is full: {what} needs {needed_bytes:,} bytes; {folder} has {free:,} free. "
            "Free space there, or start the trainer with --work-dir on a larger disk.",
        ) from error
