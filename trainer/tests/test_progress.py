"""Reports reach the server once each, in order, whatever happens to single calls."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from drydock_trainer.protocol.http import Api
from drydock_trainer.protocol.progress import Progress
from tests.fake_server import KEY, FakeJob, FakeServer


class Attempt:
    """A claimed job with its reports."""

    def __init__(self, server: FakeServer) -> None:
        self.api = Api(server.url, "acme", "lab", KEY)
        self.job: FakeJob = server.add_job(model="any", rows=b"{}\n")
        claim = {"worker": "test", "engines": ["local"], "protocol": 1, "wait_seconds": 0, "resources": {}}
        self.claimed = self.api.post("/training/claim", claim, threading.Event())["job"]
        self.interrupted = threading.Event()
        self.progress = Progress(self.api, self.job.id, self.job.attempt, self.interrupted.set)


@pytest.fixture
def attempt(server: FakeServer) -> Iterator[Attempt]:
    made = Attempt(server)
    yield made
    made.progress.fenced.set()
    made.progress.close()


def _report(attempt: Attempt, count: int) -> None:
    for step in range(1, count + 1):
        attempt.progress.add("step_complete", step=step, metrics={"train/loss": 0.1 * step})


def _steps(job: FakeJob) -> list[int]:
    return [record["step"] for record in job.of_type("step_complete")]


def test_close_delivers_everything_in_batches(server: FakeServer, attempt: Attempt) -> None:
    _report(attempt, 2500)
    attempt.progress.add("training_error", kind="error", field=None, message="the end")
    attempt.progress.close()
    assert _steps(attempt.job) == list(range(1, 2501))
    assert attempt.job.status == "failed"
    assert sum("progress" in line for line in server.requests) <= 6


def test_numbers_arrive_with_their_last_bit(attempt: Attempt) -> None:
    losses = [0.1 + 0.2, 1e-308, 2 / 3, 1.7976931348623157e308]
    for loss in losses:
        attempt.progress.add("step_complete", step=1, metrics={"train/loss": loss})
    attempt.progress.add("cancelled")
    attempt.progress.close()
    assert [record["metrics"]["train/loss"] for record in attempt.job.of_type("step_complete")] == losses


@pytest.mark.parametrize("fault", ["lose", "drop", "fail"])
def test_report_survives_failing_calls(server: FakeServer, attempt: Attempt, fault: str) -> None:
    failed: list[str] = []

    def fail_three_times(method: str, path: str, body: dict[str, Any]) -> str | None:
        if body.get("records") and len(failed) < 3:
            failed.append(path)
            return fault
        return None

    server.fault = fail_three_times
    _report(attempt, 10)
    attempt.progress.add("cancelled")
    attempt.progress.close()
    assert len(failed) == 3
    assert _steps(attempt.job) == list(range(1, 11))


def test_heartbeat_renews_the_lease_while_a_report_is_being_answered(
    server: FakeServer, attempt: Attempt
) -> None:
    release = threading.Event()

    def publish(method: str, path: str, body: dict[str, Any]) -> str | None:
        if body.get("records"):
            release.wait(600)
        return None

    server.fault = publish
    attempt.progress.add("training_error", kind="error", field=None, message="the end")
    server.wait_until(lambda: attempt.job.heartbeats >= 2)
    release.set()
    attempt.progress.close()
    assert attempt.job.status == "failed"


def test_cancel_interrupts_the_job(server: FakeServer, attempt: Attempt) -> None:
    attempt.job.cancel = True
    assert attempt.interrupted.wait(600)
    assert attempt.progress.cancelled.is_set()
    attempt.progress.add("cancelled")
    attempt.progress.close()
    assert attempt.job.status == "cancelled"


def test_fenced_worker_stops_and_reports_nothing_more(server: FakeServer, attempt: Attempt) -> None:
    attempt.job.attempt += 1
    _report(attempt, 5)
    assert attempt.interrupted.wait(600)
    attempt.progress.add("training_error", kind="error", field=None, message="too late")
    attempt.progress.close()
    assert attempt.progress.fenced.is_set()
    assert attempt.job.records == []


def test_refused_report_fails_the_job_with_its_reason(server: FakeServer, attempt: Attempt) -> None:
    attempt.job.next_seq = 0
    _report(attempt, 1)
    assert attempt.interrupted.wait(600)
    attempt.progress.close()
    assert attempt.progress.fenced.is_set()


def test_text_that_no_database_stores_is_replaced(server: FakeServer, attempt: Attempt) -> None:
    attempt.progress.add("log", level="info", message="a\0b\ud800c", data={"deep": ["\0"]})
    attempt.progress.close()
    (record,) = attempt.job.of_type("log")
    assert (record["message"], record["data"]) == ("a\ufffdb\ufffdc", {"deep": ["\ufffd"]})
