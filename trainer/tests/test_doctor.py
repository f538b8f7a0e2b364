"""What a claim says of the machine."""

from pathlib import Path

import pytest

from drydock_trainer import doctor
from drydock_trainer.protocol.http import HttpError

MIB = 1024 * 1024


@pytest.fixture
def two_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that lists two GPUs."""
    tool = tmp_path / "nvidia-smi"
    tool.write_text('#!/bin/sh\necho "0, GPU-aaaa, 40960"\necho "1, GPU-bbbb, 81920"\n', encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("visible", "device", "mebibytes"),
    [(None, "cuda", 40960), ("1,0", "cuda", 81920), ("GPU-bb", "cuda", 81920), ("0", "cuda", 40960)],
)
@pytest.mark.usefixtures("two_gpus")
def test_resources_name_the_gpu_that_the_engine_uses(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, device: str, mebibytes: int
) -> None:
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    found = doctor.resources()
    assert (found["device"], found["memory_bytes"]) == (device, mebibytes * MIB)


@pytest.mark.parametrize("visible", ["", "-1"])
@pytest.mark.usefixtures("two_gpus")
def test_resources_name_the_cpu_when_no_gpu_is_visible(monkeypatch: pytest.MonkeyPatch, visible: str) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert doctor.resources()["device"] == "cpu"


def test_http_errors_end_without_a_full_stop() -> None:
    error = HttpError(422, {"detail": "The quota is used up."}, "POST /x")
    assert str(error) == "POST /x was answered with 422: The quota is used up"
    assert str(HttpError(404, {}, "GET /x")) == "GET /x was answered with 404: no detail"
