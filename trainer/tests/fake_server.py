"""A server of the worker protocol over real HTTP: it enforces leases, fencing, sequence numbers and part
sizes, and can lose answers or fail on demand."""

import hashlib
import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEY = "worker-key-of-the-tests"
BASE = "/api/v1/org/acme/ws/lab"
DEFAULT_CONFIG: dict[str, Any] = {
    "epochs": 3,
    "batch_size": 4,
    "gradient_accumulation_steps": 1,
    "learning_rate": 2e-4,
    "max_sequence_length": 256,
    "lora_rank": 16,
    "lora_alpha": 32,
    "checkpoint_interval": None,
    "steps": None,
    "seed": 0,
    "packing": False,
}
TERMINAL = {"training_end": "succeeded", "training_error": "failed", "cancelled": "cancelled"}


@dataclass
class FakeJob:
    """A job and everything that its workers reported."""

    id: str
    model: dict[str, Any]
    config: dict[str, Any]
    datasets: list[dict[str, Any]]
    status: str = "queued"
    attempt: int = 0
    next_seq: int = 1
    cancel: bool = False
    last_contact: float = 0.0
    records: list[dict[str, Any]] = field(default_factory=list)
    heartbeats: int = 0
    uploads: dict[int, dict[str, Any]] = field(default_factory=dict)
    checkpoints: dict[int, dict[str, bytes]] = field(default_factory=dict)
    workers: list[str] = field(default_factory=list)

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["type"] == kind]

    def curve(self) -> dict[int, dict[str, float]]:
        """The last report of each step, without what depends on the clock."""
        steps = {}
        for record in self.of_type("step_complete"):
            metrics = {name: value for name, value in record["metrics"].items() if "second" not in name}
            steps[record["step"]] = {
                **metrics,
                "tokens": record["num_tokens_processed"],
                "epoch": record["epoch"],
            }
        return steps


class Refusal(Exception):
    """An answer with an error status."""

    def __init__(self, status: int, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.body = {"type": "error", "detail": detail, **more}


class FakeServer:
    """The server side of the protocol, in memory."""

    def __init__(self, lease_seconds: float = 30.0, part_bytes: int = 64 * 1024) -> None:
        self.lease_seconds = lease_seconds
        self.part_bytes = part_bytes
        self.changed = threading.Condition()
        self.jobs: dict[str, FakeJob] = {}
        self.blobs: dict[str, bytes | Path] = {}
        # Addresses of another age have expired.
        self.link_age = 0
        self.puts: dict[str, bytes] = {}
        self.expected_puts: dict[str, int] = {}
        self.requests: list[str] = []
        self.violations: list[str] = []
        # Says of a request by method, path and body: "lose" (do it, do not answer), "drop" (do nothing, do
        # not answer), "fail" (answer 500), or None.
        self.fault: Callable[[str, str, dict[str, Any]], str | None] = lambda *_: None
        # Sees each accepted record; answering True keeps the rest of its batch from arriving.
        self.on_record: Callable[[FakeJob, dict[str, Any]], bool] = lambda *_: False
        handler = type("Handler", (_Handler,), {"fake": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def add_job(
        self,
        *,
        model: Path | str | None = None,
        rows: bytes = b"",
        evaluation: bytes | None = None,
        identifier: str = "job-1",
        **config: Any,
    ) -> FakeJob:
        """Queue a job; `model` is a folder to hand out, or any other text."""
        files = (
            [self._file(path, path.name) for path in sorted(model.iterdir())]
            if isinstance(model, Path)
            else None
        )
        reference = "acme/base@1.0.0" if files is not None else str(model)
        datasets = [self._dataset("train", rows)]
        if evaluation is not None:
            datasets.append(self._dataset("eval", evaluation))
        job = FakeJob(
            identifier,
            {"reference": reference, "files": files},
            {**DEFAULT_CONFIG, **config},
            datasets,
        )
        with self.changed:
            self.jobs[job.id] = job
            self.changed.notify_all()
        return job

    def wait_until(self, condition: Callable[[], bool], seconds: float = 600.0) -> None:
        """Wait for something that a request brings about."""
        with self.changed:
            assert self.changed.wait_for(condition, seconds), "the worker did not get there"

    def note(self, request: str) -> None:
        """Keep the request's first line."""
        with self.changed:
            self.requests.append(request)
            self.changed.notify_all()

    def take_away(self, job: FakeJob) -> None:
        """End the lease now, as if heartbeats had stopped."""
        with self.changed:
            job.status = "queued"
            self.changed.notify_all()

    def _dataset(self, role: str, rows: bytes) -> dict[str, Any]:
        file = self._file(rows, f"{role}.jsonl")
        count = rows.count(b"\n")
        named = {"role": role, "name": f"acme/{role}", "version": "1.0.0", "split": None}
        return {**named, "format": "jsonl", "row_count": count, "file": file}

    def _file(self, content: bytes | Path, path: str) -> dict[str, Any]:
        data = content if isinstance(content, bytes) else content.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = content
        return {"path": path, "size_bytes": len(data), "sha256": digest, "url": self._address(digest)}

    def _address(self, digest: str) -> str:
        return f"{self.url}/blob/{self.link_age}/{digest}"

    def link_again(self, job_id: str, body: dict[str, Any]) -> dict[str, Any]:
        with self.changed:
            job = self._leased(job_id, body)
            for file in [*(job.model["files"] or []), *(data["file"] for data in job.datasets)]:
                file["url"] = self._address(file["sha256"])
            return {"model": job.model, "datasets": job.datasets, "checkpoint": self._last_checkpoint(job)}

    def claim(self, body: dict[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + float(body.get("wait_seconds", 20))
        if body["protocol"] != 1 or body["engines"] != ["local"]:
            raise Refusal(422, "unknown protocol or engine")
        with self.changed:
            while True:
                for job in self.jobs.values():
                    lost = (
                        job.status == "running" and time.monotonic() - job.last_contact > self.lease_seconds
                    )
                    if job.status == "queued" or lost:
                        return {"job": self._hand_out(job, body["worker"])}
                left = deadline - time.monotonic()
                if left <= 0:
                    return {"job": None}
                self.changed.wait(min(left, 0.2))

    def _hand_out(self, job: FakeJob, worker: str) -> dict[str, Any]:
        job.status = "running"
        job.attempt += 1
        job.next_seq = 1
        job.last_contact = time.monotonic()
        job.workers.append(worker)
        self.changed.notify_all()
        return {
            "id": job.id,
            "attempt": job.attempt,
            "name": job.id,
            "backend": "hosted_a",
            "trainer_type": "sft",
            "engine": "local",
            "lease": {"seconds": self.lease_seconds},
            "model": job.model,
            "capability": {"name": None, "version": None, "system_prompt": None},
            "config": job.config,
            "datasets": job.datasets,
            "checkpoint": self._last_checkpoint(job),
        }

    def _last_checkpoint(self, job: FakeJob) -> dict[str, Any] | None:
        if not job.checkpoints:
            return None
        step = max(job.checkpoints)
        files = []
        for path, data in job.checkpoints[step].items():
            parts = []
            for start in range(0, max(len(data), 1), self.part_bytes):
                piece = self._file(data[start : start + self.part_bytes], path)
                parts.append({"size_bytes": piece["size_bytes"], "url": piece["url"]})
            digest = hashlib.sha256(data).hexdigest()
            files.append({"path": path, "size_bytes": len(data), "sha256": digest, "parts": parts})
        return {"step": step, "files": files}

    def _leased(self, job_id: str, body: dict[str, Any]) -> FakeJob:
        job = self.jobs[job_id]
        if body["attempt"] != job.attempt or job.status != "running":
            raise Refusal(409, "another worker has this job", reason="fenced")
        job.last_contact = time.monotonic()
        return job

    def progress(self, job_id: str, body: dict[str, Any]) -> dict[str, Any]:
        with self.changed:
            finished = self.jobs[job_id]
            if finished.status in TERMINAL.values() and body["attempt"] == finished.attempt:
                # The answer to the last report was lost.
                return {"action": "continue", "next_seq": finished.next_seq, "lease": {"seconds": 30}}
            job = self._leased(job_id, body)
            if len(body["records"]) > 1000:
                self.violations.append("more than 1000 records in one call")
            job.heartbeats += not body["records"]
            for record in body["records"]:
                if record["seq"] > job.next_seq:
                    raise Refusal(422, "records are missing")
                if record["seq"] == job.next_seq:
                    self._accept(job, record)
                    if self.on_record(job, record):
                        break
            self.changed.notify_all()
            action = "cancel" if job.cancel else "continue"
            return {"action": action, "next_seq": job.next_seq, "lease": {"seconds": self.lease_seconds}}

    def _accept(self, job: FakeJob, record: dict[str, Any]) -> None:
        if job.status in TERMINAL.values():
            self.violations.append(f"{record['type']} after the end")
        job.next_seq += 1
        job.records.append({**record, "attempt": job.attempt})
        if record["type"] == "checkpoint_saved":
            self._complete(job, record["step"])
        if record["type"] == "training_end" and record["checkpoint_step"] not in job.checkpoints:
            self.violations.append("training_end names a checkpoint that is not complete")
        job.status = TERMINAL.get(record["type"], job.status)

    def _complete(self, job: FakeJob, step: int) -> None:
        files = {}
        for path, upload in job.uploads[step].items():
            data = b"".join(self.puts.get(token, b"") for token in upload["tokens"])
            if hashlib.sha256(data).hexdigest() != upload["sha256"]:
                self.violations.append(f"checkpoint {step}: {path} is not what was announced")
            files[path] = data
        job.checkpoints[step] = files

    def checkpoint(self, job_id: str, body: dict[str, Any]) -> dict[str, Any]:
        with self.changed:
            job = self._leased(job_id, body)
            answer, uploads = [], {}
            for file in body["files"]:
                parts, tokens = [], []
                for offset in range(0, max(file["size_bytes"], 1), self.part_bytes):
                    size = min(self.part_bytes, file["size_bytes"] - offset)
                    token = f"{job.id}/{job.attempt}/{body['step']}/{file['path']}/{offset}"
                    self.expected_puts[token] = size
                    tokens.append(token)
                    parts.append({"offset": offset, "size_bytes": size, "url": f"{self.url}/put/{token}"})
                uploads[file["path"]] = {"tokens": tokens, "sha256": file["sha256"]}
                answer.append({"path": file["path"], "parts": parts})
            job.uploads[body["step"]] = uploads
            self.changed.notify_all()
            return {"files": answer}

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/training/claim":
            return self.claim(body)
        job_id, action = path.removeprefix("/training/jobs/").split("/")
        actions = {"progress": self.progress, "checkpoints": self.checkpoint, "files": self.link_again}
        return actions[action](job_id, body)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        return

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.removeprefix(BASE)
        self.fake.note(f"POST {path}")
        fault = self.fake.fault("POST", path, body)
        if fault in ("fail", "drop"):
            return self._refuse(fault)
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return self._answer(401, {"type": "error", "detail": "wrong key"})
        try:
            answer = self.fake.post(path, body)
        except Refusal as refusal:
            return self._answer(refusal.status, refusal.body)
        if fault == "lose":
            self.close_connection = True
            return None
        return self._answer(200, answer)

    def do_GET(self) -> None:
        self.fake.note(f"GET {self.path}")
        if fault := self.fake.fault("GET", self.path, {}):
            return self._refuse(fault)
        age, digest = self.path.removeprefix("/blob/").split("/")
        if int(age) != self.fake.link_age:
            return self._answer(403, {"detail": "the address has expired"})
        content = self.fake.blobs[digest]
        return self._send(200, content if isinstance(content, bytes) else content.read_bytes())

    def do_PUT(self) -> None:
        token = self.path.removeprefix("/put/")
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if len(data) != self.fake.expected_puts.get(token):
            self.fake.violations.append(f"{len(data)} bytes were put to {token}")
            return self._answer(403, {})
        if fault := self.fake.fault("PUT", self.path, {}):
            return self._refuse(fault)
        with self.fake.changed:
            self.fake.puts[token] = data
            self.fake.changed.notify_all()
        return self._send(200, b"")

    def _refuse(self, fault: str) -> None:
        if fault == "fail":
            return self._answer(500, {"type": "error", "detail": "on demand"})
        self.close_connection = True

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, json.dumps(body).encode())

    def _send(self, status: int, body: bytes) -> None:
        # The worker may have been killed while it waited for this.
        with suppress(ConnectionError):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
