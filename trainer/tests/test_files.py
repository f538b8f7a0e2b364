"""Downloads and uploads: what arrives is what was announced, or the job says why not."""

import errno
import hashlib
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from drydock_trainer.errors import JobError, Stopped, disk_full_named
from drydock_trainer.protocol.checkpoints import CheckpointUploader
from drydock_trainer.protocol.files import FileCache
from drydock_trainer.protocol.http import Api
from drydock_trainer.protocol.jobs import Config, RemoteFile
from tests.fake_server import DEFAULT_CONFIG, KEY, FakeServer


def _offer(server: FakeServer, content: bytes, path: str = "a/b.bin", **changed: Any) -> RemoteFile:
    digest = hashlib.sha256(content).hexdigest()
    server.blobs[digest] = content
    raw = {"path": path, "size_bytes": len(content), "sha256": digest, "url": f"{server.url}/blob/0/{digest}"}
    return RemoteFile.parse({**raw, **changed})


def _downloads(server: FakeServer) -> int:
    return sum(line.startswith("GET") for line in server.requests)


def test_second_job_downloads_nothing(server: FakeServer, tmp_path: Path) -> None:
    file = _offer(server, os.urandom(3_000_000))
    for job in ("one", "two"):
        FileCache(tmp_path / "cache", 1 << 30).place(file, tmp_path / job / file.path, threading.Event())
    assert _downloads(server) == 1
    assert (tmp_path / "one/a/b.bin").read_bytes() == (tmp_path / "two/a/b.bin").read_bytes()


def test_cache_removes_what_was_used_longest_ago(server: FakeServer, tmp_path: Path) -> None:
    cache = FileCache(tmp_path / "cache", 250)
    files = [_offer(server, bytes([number]) * 100, f"{number}.bin") for number in range(3)]
    for index, file in enumerate(files):
        cache.place(file, tmp_path / "job" / file.path, threading.Event())
        os.utime(tmp_path / "cache" / file.sha256, (index, index))
    kept = {path.name for path in (tmp_path / "cache").iterdir()}
    assert kept == {files[1].sha256, files[2].sha256}
    assert (tmp_path / "job/0.bin").read_bytes() == bytes(100)


def test_download_survives_failing_calls(server: FakeServer, tmp_path: Path) -> None:
    faults = iter(["fail", "drop", "fail"])
    server.fault = lambda *_: next(faults, None)
    file = _offer(server, b"content")
    FileCache(tmp_path / "cache", 1 << 30).place(file, tmp_path / "file", threading.Event())
    assert (tmp_path / "file").read_bytes() == b"content"
    assert _downloads(server) == 4


def test_other_bytes_than_announced_fail_the_job(server: FakeServer, tmp_path: Path) -> None:
    file = _offer(server, b"content", sha256="0" * 64)
    with pytest.raises(JobError, match=r'"a/b\.bin" arrived with other bytes'):
        FileCache(tmp_path / "cache", 1 << 30).place(file, tmp_path / "file", threading.Event())
    assert list((tmp_path / "cache").iterdir()) == []


def test_stopped_download_leaves_nothing(server: FakeServer, tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        FileCache(tmp_path / "cache", 1 << 30).place(_offer(server, b"x"), tmp_path / "file", stop)
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ""])
def test_path_outside_of_the_folder_is_refused(path: str) -> None:
    with pytest.raises(JobError, match="outside its folder"):
        RemoteFile.parse({"path": path, "size_bytes": 1, "sha256": "0", "url": "http://x"})


def test_full_disk_names_folder_and_size(tmp_path: Path) -> None:
    # The device that is always full gives the system's real error.
    with (
        pytest.raises(JobError) as caught,
        disk_full_named(tmp_path, 12_345, "saving a checkpoint"),
        open("/dev/full", "wb", buffering=0) as full,
    ):
        full.write(b"x")
    assert caught.value.kind == "disk_full"
    assert str(tmp_path) in caught.value.message
    assert "12,345 bytes" in caught.value.message


def test_full_disk_is_known_from_native_writers(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="disk is full"), disk_full_named(tmp_path, 1, "saving a checkpoint"):
        raise RuntimeError("I/O error: No space left on device (os error 28)")


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="damaged"), disk_full_named(tmp_path, 1, "saving a checkpoint"):
        raise OSError(errno.EIO, "damaged")


def test_upload_arrives_in_parts_and_then_counts(server: FakeServer, tmp_path: Path) -> None:
    server.part_bytes = 1000
    job = server.add_job(model="any")
    job.status, job.attempt = "running", 1
    content = {
        "adapter_model.safetensors": os.urandom(3500),
        "state/optimizer.pt": os.urandom(1000),
        "empty": b"",
    }
    for path, data in content.items():
        (tmp_path / "step-3" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "step-3" / path).write_bytes(data)
    faults = iter(["fail", None, "drop", "fail"])
    server.fault = lambda *_: next(faults, None)
    saved: list[int] = []
    api = Api(server.url, "acme", "lab", KEY)
    uploads = CheckpointUploader(
        api, job.id, 1, threading.Event(), lambda step, _: saved.append(step), lambda: None
    )
    uploads.add(3, tmp_path / "step-3", {})
    uploads.finish()
    assert saved == [3]
    assert not (tmp_path / "step-3").exists()
    sent = {
        path: b"".join(server.puts[token] for token in file["tokens"])
        for path, file in job.uploads[3].items()
    }
    assert sent == content


def test_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(JobError) as caught:
        Config.parse({**DEFAULT_CONFIG, "dropout": 0.1})
    assert (caught.value.kind, caught.value.field) == ("refused", "config.dropout")
