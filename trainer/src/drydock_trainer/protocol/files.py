"""Downloads, verified by size and SHA-256, and kept by digest so that a second job fetches nothing again."""

import errno
import hashlib
import os
import shutil
import threading
import uuid
from pathlib import Path

from drydock_trainer.errors import JobError, Stopped, disk_full_named
from drydock_trainer.protocol.http import download, retried
from drydock_trainer.protocol.jobs import RemoteFile

BLOCK_BYTES = 1 << 20


class FileCache:
    """A folder of files named by their digest; past its bound the least recently used ones are removed."""

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        folder.mkdir(parents=True, exist_ok=True)

    def place(self, file: RemoteFile, target: Path, stop: threading.Event) -> None:
        """Put the file at `target`, from the cache or over the network.

        Raises `HttpError` where its address is refused, as one that has expired is.
        """
        kept = self._folder / file.sha256
        if not _is_whole(file, kept):
            self._fetch(file, kept, stop)
        os.utime(kept)
        target.parent.mkdir(parents=True, exist_ok=True)
        with disk_full_named(target.parent, file.size_bytes, f'placing "{file.path}"'):
            _link(kept, target)

    def _fetch(self, file: RemoteFile, kept: Path, stop: threading.Event) -> None:
        self._make_room(file.size_bytes)
        partial = self._folder / f"{file.sha256}.{uuid.uuid4().hex}.part"
        try:
            with disk_full_named(self._folder, file.size_bytes, f'downloading "{file.path}"'):
                retried(lambda: _download(file, partial, stop), f'Downloading "{file.path}"', stop)
            _verify(file, partial)
            os.replace(partial, kept)
        finally:
            partial.unlink(missing_ok=True)

    def _make_room(self, needed_bytes: int) -> None:
        files = sorted(
            ((path.stat().st_mtime, path.stat().st_size, path) for path in self._folder.iterdir()),
            key=lambda entry: entry[0],
        )
        total = sum(size for _, size, _ in files) + needed_bytes
        for _, size, path in files:
            if total <= self._limit_bytes:
                return
            # Jobs hold hard links, so removing a name here takes nothing away from a running one.
            path.unlink(missing_ok=True)
            total -= size


def _link(kept: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(kept, target)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        shutil.copyfile(kept, target)


def _is_whole(file: RemoteFile, kept: Path) -> bool:
    """A file that was damaged on the disk is fetched again."""
    if not (kept.is_file() and kept.stat().st_size == file.size_bytes):
        return False
    try:
        _verify(file, kept)
    except JobError:
        return False
    return True


class _Unfinished(OSError):
    """The connection ended before the last byte; another attempt may get all of them."""


def _download(file: RemoteFile, target: Path, stop: threading.Event) -> None:
    with target.open("wb") as out:
        for part in file.parts:
            written = 0
            with download(part.url) as response:
                while block := response.read(BLOCK_BYTES):
                    if stop.is_set():
                        raise Stopped(file.path)
                    out.write(block)
                    written += len(block)
            if written != part.size_bytes:
                raise _Unfinished(f"{written} of {part.size_bytes} bytes")


def _verify(file: RemoteFile, path: Path) -> None:
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if path.stat().st_size != file.size_bytes or digest != file.sha256:
        raise JobError(
            "error",
            f'"{file.path}" arrived with other bytes than the server announced (SHA-256 {digest}). '
            "Check the object storage and proxies between it and the trainer, then retry the job.",
        )
