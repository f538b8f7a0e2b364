"""A job that is killed at any moment goes on exactly where its last checkpoint was."""

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.facts import facts_jsonl
from tests.fake_server import FakeJob, FakeServer
from tests.support import kill, run_worker, start_worker

pytestmark = pytest.mark.torch

# 10 rows in steps of 4 are 3 steps an epoch, the last of which holds 2 rows.
SETTINGS: dict[str, Any] = {
    "epochs": 8,
    "batch_size": 2,
    "gradient_accumulation_steps": 2,
    "learning_rate": 5e-3,
    "checkpoint_interval": 4,
}
LAST_STEP = 24

Record = dict[str, Any]
# Looks at a request before it is done: method, path and the records in it.
OnRequest = Callable[[str, str, list[Record]], bool]
# Looks at a record that the server has just accepted.
OnRecord = Callable[[Record], bool]


def _is_saved(step: int) -> OnRecord:
    return lambda record: record["type"] == "checkpoint_saved" and record["step"] == step


KILLS: dict[str, tuple[OnRequest | None, OnRecord | None]] = {
    "while files are downloaded": (lambda method, path, records: method == "GET", None),
    "when training starts": (None, lambda record: record["type"] == "training_start"),
    "while the checkpoint of step 4 is uploaded": (
        lambda method, path, records: method == "PUT" and "/4/state/optimizer.pt" in path,
        None,
    ),
    "when all parts of step 8 are up and its report is lost": (
        lambda method, path, records: any(map(_is_saved(8), records)),
        None,
    ),
    "when the checkpoint of step 12 counts": (None, _is_saved(12)),
    "when the final checkpoint counts and the end is not reported": (None, _is_saved(LAST_STEP)),
}


class Killer:
    """Kills one worker at its moment, from inside the server."""

    def __init__(self, server: FakeServer) -> None:
        self._server = server
        self._worker: subprocess.Popen[bytes] | None = None
        self._request: OnRequest | None = None
        self._record: OnRecord | None = None
        self._killed = threading.Event()
        self._ready = threading.Event()
        server.fault = self._fault
        server.on_record = self._on_record

    def run_until(
        self, job: FakeJob, work_dir: Path, moment: tuple[OnRequest | None, OnRecord | None]
    ) -> None:
        """Start a worker and return when it was killed and its lease is over."""
        self._killed.clear()
        self._ready.clear()
        self._request, self._record = moment
        self._worker = start_worker(self._server, work_dir)
        self._ready.set()
        came = self._killed.wait(600)
        kill(self._worker)
        assert came, "the moment never came"
        self._request = self._record = None
        self._server.take_away(job)

    def _kill(self) -> None:
        self._ready.wait()
        assert self._worker is not None
        self._worker.kill()
        self._killed.set()

    def _fault(self, method: str, path: str, body: dict[str, Any]) -> str | None:
        if self._request is not None and self._request(method, path, body.get("records", [])):
            self._kill()
            return "drop"
        # Every fifth call is done and not answered, so that the worker has to send it again.
        lost = method == "POST" and "claim" not in path and len(self._server.requests) % 5 == 0
        return "lose" if lost else None

    def _on_record(self, _job: FakeJob, record: Record) -> bool:
        if self._record is None or not self._record(record):
            return False
        self._kill()
        return True


def test_resume_gives_the_curve_of_an_uninterrupted_run(
    server: FakeServer, demo_model: Path, tmp_path: Path
) -> None:
    whole = server.add_job(
        model=demo_model, rows=facts_jsonl(), evaluation=facts_jsonl(), identifier="whole", **SETTINGS
    )
    run_worker(server, tmp_path)
    assert whole.status == "succeeded"
    assert sorted(whole.curve()) == list(range(1, LAST_STEP + 1))

    job = server.add_job(
        model=demo_model, rows=facts_jsonl(), evaluation=facts_jsonl(), identifier="killed", **SETTINGS
    )
    killer = Killer(server)
    for index, moment in enumerate(KILLS.values()):
        # Each worker has a folder of its own, as if it were another machine.
        killer.run_until(job, tmp_path / f"worker-{index}", moment)
    run_worker(server, tmp_path)

    assert job.status == "succeeded"
    assert job.attempt == len(KILLS) + 1
    starts = [record["step"] for record in job.of_type("training_start")]
    assert starts[-2:] == [12, LAST_STEP]
    assert job.curve() == whole.curve()
    assert _evaluations(job) == _evaluations(whole)
    for path in ("adapter_model.safetensors", "adapter_config.json", "tokenizer.json"):
        assert job.checkpoints[LAST_STEP][path] == whole.checkpoints[LAST_STEP][path]
    assert job.of_type("training_end")[0]["metrics"] == whole.of_type("training_end")[0]["metrics"]


def _evaluations(job: FakeJob) -> dict[int, dict[str, float]]:
    return {record["step"]: record["metrics"] for record in job.of_type("eval_complete")}
