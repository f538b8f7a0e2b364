"""Jobs that do not end well: each ends with the right report."""

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.facts import facts_jsonl
from tests.fake_server import FakeJob, FakeServer
from tests.support import run_worker, start_worker

LONG: dict[str, Any] = {"epochs": 1000, "checkpoint_interval": 100_000}


def _steps_are_reported(job: FakeJob) -> Callable[[], bool]:
    return lambda: len(job.of_type("step_complete")) > 3


def _error(server: FakeServer, job: FakeJob, folder: Path) -> tuple[str, str | None, str]:
    run_worker(server, folder)
    assert job.status == "failed"
    error = job.of_type("training_error")[0]
    return error["kind"], error["field"], error["message"]


def test_unknown_setting_fails_the_job_by_name(server: FakeServer, tmp_path: Path) -> None:
    job = server.add_job(model="any", rows=b"{}\n", dropout=0.1)
    assert _error(server, job, tmp_path)[:2] == ("refused", "config.dropout")


def test_wrong_key_ends_the_worker(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.KEY", "another")
    assert start_worker(server, tmp_path, "--once").wait(600) == 1


def test_worker_exits_when_there_is_no_job(server: FakeServer, tmp_path: Path) -> None:
    assert start_worker(server, tmp_path, "--idle-exit", "0").wait(600) == 0


def test_termination_ends_a_waiting_worker_at_once(server: FakeServer, tmp_path: Path) -> None:
    worker = start_worker(server, tmp_path)
    server.wait_until(lambda: bool(server.requests))
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(600) == 128 + signal.SIGTERM


@pytest.mark.torch
def test_expired_addresses_are_replaced(server: FakeServer, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model/adapter_config.json").write_text("{}")
    job = server.add_job(model=tmp_path / "model", rows=b"{}\n")
    server.link_age = 1
    assert _error(server, job, tmp_path / "work")[:2] == ("refused", "model")
    assert sum(line.endswith("/files") for line in server.requests) == 2


@pytest.mark.torch
def test_cancel_stops_training(server: FakeServer, demo_model: Path, tmp_path: Path) -> None:
    job = server.add_job(model=demo_model, rows=facts_jsonl(), **LONG)
    worker = start_worker(server, tmp_path, "--once")
    server.wait_until(_steps_are_reported(job))
    job.cancel = True
    assert worker.wait(600) == 0
    assert job.status == "cancelled"
    assert [record["type"] for record in job.records][-1] == "cancelled"
    assert list((tmp_path / "jobs").iterdir()) == []


@pytest.mark.torch
def test_fenced_worker_stops_training_and_claims_again(
    server: FakeServer, demo_model: Path, tmp_path: Path
) -> None:
    job = server.add_job(model=demo_model, rows=facts_jsonl(), **LONG)
    worker = start_worker(server, tmp_path)
    server.wait_until(_steps_are_reported(job))
    with server.changed:
        job.attempt += 1
        reported = len(job.records)
    server.wait_until(lambda: server.requests[-1] == "POST /training/claim")
    worker.send_signal(signal.SIGTERM)
    worker.wait(600)
    assert len(job.records) == reported


@pytest.mark.torch
def test_rate_that_is_too_high_fails_with_the_step(
    server: FakeServer, demo_model: Path, tmp_path: Path
) -> None:
    job = server.add_job(
        model=demo_model, rows=facts_jsonl(), epochs=200, learning_rate=1e30, checkpoint_interval=1
    )
    kind, _, message = _error(server, job, tmp_path)
    last = max(job.curve(), default=0)
    assert kind == "nan_loss"
    assert f"at step {last + 1};" in message
    assert "config.learning_rate" in message
    assert set(job.checkpoints) <= set(job.curve())


@pytest.mark.torch
def test_bad_rows_fail_the_job_by_number(server: FakeServer, demo_model: Path, tmp_path: Path) -> None:
    rows = facts_jsonl() + json.dumps({"messages": [{"role": "nobody", "content": "x"}]}).encode() + b"\n"
    job = server.add_job(model=demo_model, rows=rows)
    kind, _, message = _error(server, job, tmp_path)
    assert kind == "bad_data"
    assert "row 10" in message


def _adapter(folder: Path) -> str:
    (folder / "adapter_config.json").write_text("{}")
    return "it is an adapter. Train its base model instead"


def _no_configuration(folder: Path) -> str:
    (folder / "config.json").unlink()
    return "config.json is missing"


def _no_weights(folder: Path) -> str:
    (folder / "model.safetensors").unlink()
    return "it has no weights"


def _damaged_weights(folder: Path) -> str:
    (folder / "model.safetensors").write_bytes(b"no tensors in here")
    return "its weights do not load"


def _unknown_architecture(folder: Path) -> str:
    (folder / "config.json").write_text(json.dumps({"model_type": "abacus"}))
    return "its configuration is not known"


def _other_kind(folder: Path) -> str:
    (folder / "config.json").write_text(json.dumps({"model_type": "vit"}))
    return "is not a causal language model"


def _own_code(folder: Path) -> str:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "evil.Model"}}))
    return "it brings its own Python code"


def _more_layers_than_weights(folder: Path) -> str:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 5}))
    return "weights are missing"


@pytest.mark.torch
def test_models_that_cannot_be_trained_are_refused(
    server: FakeServer, demo_model: Path, tmp_path: Path
) -> None:
    breaks = [_adapter, _no_configuration, _no_weights, _unknown_architecture, _other_kind, _own_code]
    found, expected = {}, {}
    from drydock_trainer.engine import model
    from drydock_trainer.errors import JobError

    for break_it in [*breaks, _damaged_weights, _more_layers_than_weights]:
        folder = tmp_path / break_it.__name__
        shutil.copytree(demo_model, folder)
        expected[break_it.__name__] = break_it(folder)
        with pytest.raises(JobError) as caught:
            source = model.find_base("acme/base@1.0.0", str(folder))
            model.load_config("acme/base@1.0.0", source)
            model.load_weights("acme/base@1.0.0", source, "sdpa", "float32")
        assert (caught.value.kind, caught.value.field) == ("refused", "model")
        found[break_it.__name__] = caught.value.message
    assert all(expected[name] in message for name, message in found.items()), found


@pytest.mark.torch
def test_text_that_names_no_model_is_refused(server: FakeServer, tmp_path: Path) -> None:
    job = server.add_job(model="nobody/nothing", rows=facts_jsonl())
    kind, field, message = _error(server, job, tmp_path)
    assert (kind, field) == ("refused", "model")
    assert '"nobody/nothing"' in message
