"""Drives the published, unmodified client dreadnode (SDK and CLI) against a fresh server.

Each step asserts what the server has stored, read over HTTP beside the client, and prints one line.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dreadnode as dn
import httpx
from dreadnode.app.api.client import ApiClient
from dreadnode.generators.message import Message

URL = os.environ["DRYDOCK_URL"]
KEY = os.environ["DRYDOCK_API_KEY"]
ORG, WORKSPACE, PROJECT = "main", "main", "default"
W = f"/org/{ORG}/ws/{WORKSPACE}"
PATIENCE_SECONDS = 120.0

http = httpx.Client(
    base_url=f"{URL}/api/v1", headers={"Authorization": f"Bearer {KEY}"}, timeout=60, follow_redirects=False
)
client = ApiClient(URL, api_key=KEY, default_org=ORG)


def read(path: str, **params: Any) -> Any:
    """Reads from the server over HTTP, without the client."""
    response = http.get(path, params=params)
    assert response.status_code == 200, f"{path}: {response.status_code} {response.text}"
    return response.json()


def run_cli(*args: str) -> str:
    """Runs `dn` as a user would, with the profile that `dn login` has saved."""
    command = [str(Path(sys.executable).with_name("dn")), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"dn {' '.join(args)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run_cli_json(*args: str) -> Any:
    return json.loads(run_cli(*args, "--json"))


def wait_for(what: str, found: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not found():
        assert time.monotonic() < deadline, f"{what} within {PATIENCE_SECONDS:.0f} s"
        time.sleep(0.2)


def publish_task(name: str, version: str) -> None:
    manifest = {
        "name": name,
        "version": version,
        "instruction": "Say hello.",
        "environment": {"network": "none"},
        "verification": {"method": "contains", "expected": "hello"},
    }
    content = json.dumps(manifest).encode()
    bundle = io.BytesIO()
    with tarfile.open(fileobj=bundle, mode="w:gz") as archive:
        entry = tarfile.TarInfo("task.yaml")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    response = http.put(
        f"/org/{ORG}/tasks/{name}/{version}",
        content=bundle.getvalue(),
        headers={"Content-Type": "application/gzip"},
    )
    assert response.status_code == 201, response.text


def has_sandboxes() -> bool:
    return any(provider["available"] for provider in read(f"/org/{ORG}/sandbox-providers"))


# Steps


def login() -> str:
    run_cli(
        "login", KEY, "--server", URL, "--organization", ORG, "--workspace", WORKSPACE, "--project", PROJECT
    )
    who = run_cli_json("whoami")
    assert who["username"] == read("/user")["username"], who
    assert who["organization"] in (ORG, read(f"/org/{ORG}")["name"]), who
    return f"whoami is {who['username']}"


def configure() -> str:
    dn.configure(server=URL, api_key=KEY, organization=ORG, workspace=WORKSPACE, project=PROJECT)
    organization = client.get_organization(ORG)
    assert organization.id == read(f"/org/{ORG}")["id"]
    assert client.credits.get_balance().balance == read(f"/org/{ORG}/credits")["balance"]
    return f"organization {organization.key}"


def sessions() -> str:
    session = str(uuid.uuid4())
    client.save_session(ORG, WORKSPACE, session, "sim/echo", title="From the client")
    messages = [Message(role="user", content="Hello"), Message(role="assistant", content="Hello again")]
    client.append_transcript(ORG, WORKSPACE, session, messages, context={"model": "sim/echo"})
    for limit in (1000, 5000):
        transcript = client.get_transcript(ORG, WORKSPACE, session, limit=limit)
        assert [one["content"] for one in transcript["messages"]] == ["Hello", "Hello again"], transcript
    stored = read(f"{W}/sessions/{session}")
    assert (stored["title"], stored["message_count"]) == ("From the client", 2), stored
    listed = client.list_sessions(ORG, WORKSPACE, search="From the client")
    assert [one["id"] for one in listed["sessions"]] == [session], listed
    exported = client.get_session_trajectory(ORG, WORKSPACE, session, format="openai")
    assert [one["content"] for one in exported["messages"]] == ["Hello", "Hello again"], exported
    run_cli("session", "archive", session)
    assert read(f"{W}/sessions/{session}")["archived_at"] is not None
    return "saved, appended, read with limits of 1000 and 5000, listed, exported, archived"


def traces() -> str:
    async def multiply(number: int) -> int:
        return number * 2

    double = dn.task(name="double")(multiply)

    async def run() -> int:
        with dn.run("client-run"):
            doubled: int = await double(21)
        return doubled

    assert asyncio.run(run()) == 42
    dn.shutdown()
    project = read(f"{W}/projects/{PROJECT}")["id"]

    def find() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = client.list_traces(ORG, WORKSPACE, PROJECT, page_size=10)["traces"]
        return found

    wait_for("a trace", lambda: len(find()) > 0)
    wait_for("both spans", lambda: find()[0]["span_count"] >= 2)
    trace = find()[0]["trace_id"]
    spans = read(f"{W}/traces/{trace}/spans")["items"]
    names = [span["name"] for span in spans]
    assert len(names) == len(set(names)), f"a span is there twice: {names}"
    assert not any(span["attributes"].get("logfire.span_type") == "pending_span" for span in spans), spans
    assert read(f"{W}/traces/{trace}")["project_ids"] == [project]
    assert "task" in client.get_trace(ORG, WORKSPACE, PROJECT, trace)["span_types"]
    of_type = client.list_traces(ORG, WORKSPACE, PROJECT, span_type="task")
    assert of_type["total"] >= 1, of_type
    second = client.get_trace_spans(ORG, WORKSPACE, PROJECT, trace, limit=1, offset=1)["items"]
    assert [span["span_id"] for span in second] == [spans[1]["span_id"]], second
    return f"{len(names)} spans, each once, in the project"


def runtimes() -> str:
    created = client.create_runtime(
        ORG,
        WORKSPACE,
        PROJECT,
        key="from-client",
        config={"metadata": {"labels": {"team": "red"}}, "runtime_server": {"env": {"MODE": "test"}}},
    )
    assert created["created"] is True
    shown = run_cli("runtime", "config-get", "from-client")
    assert created["config_digest"][:12] in shown.replace("\n", ""), shown
    run_cli("runtime", "config-set", "from-client", "--egress", "example.com")
    config = read(f"{W}/runtimes/from-client/config")
    assert config["sandbox"]["egress_allow"] == ["example.com"], config
    assert config["metadata"]["labels"] == {"team": "red"}, config
    assert config["runtime_server"]["env"] == {"MODE": "test"}, config
    mine = client.list_runtimes(ORG, WORKSPACE, state=["running", "paused", "idle"], owner="me")
    assert [one["key"] for one in mine["items"]] == ["from-client"], mine
    if not has_sandboxes():
        return "created, configured, listed; not started, since this machine has no sandboxes"
    client.start_runtime(ORG, WORKSPACE, "from-client")
    assert read(f"{W}/runtimes/from-client")["status"] == "running"
    before = read(f"{W}/runtimes/from-client")["instance"]["expires_at"]
    client.keepalive_runtime(ORG, WORKSPACE, "from-client", extend_seconds=600)
    assert read(f"{W}/runtimes/from-client")["instance"]["expires_at"] >= before
    assert len(client.list_sandboxes(ORG, state=["running", "paused"])["items"]) == 1
    client.pause_runtime(ORG, WORKSPACE, "from-client")
    assert read(f"{W}/runtimes/from-client")["status"] == "paused"
    client.resume_runtime(ORG, WORKSPACE, "from-client")
    assert read(f"{W}/runtimes/from-client")["status"] == "running"
    client.reset_runtime(ORG, WORKSPACE, "from-client")
    assert read(f"{W}/runtimes/from-client")["status"] == "idle"
    return "created, configured, listed, started, kept alive, paused, resumed, reset"


def storage() -> str:
    access = client.get_storage_access(ORG, WORKSPACE)
    given = read(f"{W}/storage/credentials")
    assert (access.bucket, access.prefix) == (given["bucket"], given["prefix"])
    return f"credentials for {access.bucket}"


def registry() -> str:
    publish_task("hello", "1.0.0")
    publish_task("hello", "1.1.0")
    publish_task("other", "1.0.0")
    assert client.list_task_versions(ORG, "hello")["versions"] == ["1.1.0", "1.0.0"]
    assert "hello" in run_cli("task", "info", "hello")
    return "versions are texts, newest first"


def pins_of(name: str) -> list[tuple[str, str | None]]:
    return [
        (one["task_name"], one["task_version"]) for one in read(f"/org/{ORG}/task-sets/{name}")["members"]
    ]


def task_sets() -> str:
    manifest = Path("task-set.yaml")
    manifest.write_text("name: pinned\nmembers:\n  - main/hello@1.0.0\n")
    run_cli("task-set", "push", str(manifest))
    assert pins_of("pinned") == [("main/hello", "1.0.0")]
    assert "1.0.0" in run_cli("task-set", "info", "pinned")
    run_cli("task-set", "add", "pinned", "main/other", "main/hello")
    assert pins_of("pinned") == [("main/hello", "1.0.0"), ("main/other", None), ("main/hello", None)]
    run_cli("task-set", "clone", "pinned", "copy")
    assert pins_of("copy") == pins_of("pinned")
    run_cli("task-set", "remove", "pinned", "main/hello@1.0.0")
    assert pins_of("pinned") == [("main/other", None), ("main/hello", None)]
    # A deletion answers 204 without a body, which this client cannot read.
    with contextlib.suppress(json.JSONDecodeError):
        client.delete_task_set(ORG, "copy")
    assert http.get(f"/org/{ORG}/task-sets/copy").status_code == 404
    return "pushed, shown, extended and cloned with their pins, removed by pin, deleted"


def secrets() -> str:
    created = client.create_secret("CLIENT_TOKEN", "a value that is long enough")
    listed = client.list_secrets()
    assert (listed.total, [one.id for one in listed.secrets]) == (1, [created.id]), listed
    assert "CLIENT_TOKEN" in run_cli("secret", "list")
    client.delete_secret(created.id)
    assert read("/user/secrets")["total"] == 0
    return "created, listed, deleted"


def evaluations() -> str:
    if not has_sandboxes():
        return "skipped, since this machine has no sandboxes"
    project = read(f"{W}/projects/{PROJECT}")["id"]
    request = {
        "name": "from-client",
        "model": "sim/echo",
        "task_names": ["main/hello@1.0.0"],
        "project_id": project,
    }
    created = client.create_evaluation(ORG, WORKSPACE, request)
    evaluation = created["id"]
    listed = client.list_evaluation_jobs(ORG, WORKSPACE, project_id=project)
    assert [one["id"] for one in listed["items"]] == [evaluation], listed
    items = client.list_evaluation_items(ORG, WORKSPACE, evaluation)["items"]
    assert [(one["task_name"], one["task_version"]) for one in items] == [("hello", "1.0.0")], items
    assert client.get_evaluation_item(ORG, WORKSPACE, evaluation, items[0]["id"])["id"] == items[0]["id"]
    ended = ("completed", "failed", "cancelled")
    wait_for("the end", lambda: client.get_evaluation_job(ORG, WORKSPACE, evaluation)["status"] in ended)
    run_cli("evaluation", "get", evaluation)
    run_cli("evaluation", "list")
    run_cli("evaluation", "list-samples", evaluation)
    job = read(f"{W}/evaluation/{evaluation}")
    assert (job["status"], job["total_samples"], job["error_count"]) == ("completed", 1, 0), job
    transcript = client.get_evaluation_item_transcript(ORG, WORKSPACE, evaluation, items[0]["id"])
    assert len(transcript["messages"]) > 0, transcript
    many = {**request, "name": "to-cancel", "repetitions": 16, "concurrency": 1}
    second = client.create_evaluation(ORG, WORKSPACE, many)["id"]
    client.cancel_evaluation(ORG, WORKSPACE, second)
    wait_for("the cancellation", lambda: bool(read(f"{W}/evaluation/{second}")["status"] == "cancelled"))
    return "created, listed, read with items and transcript, cancelled"


def assessments() -> str:
    project = read(f"{W}/projects/{PROJECT}")["id"]
    created = client.create_airt_assessment(
        ORG,
        WORKSPACE,
        name="probe",
        project_id=project,
        target_model="sim/guarded",
        target_config={"model": "sim/guarded"},
    )
    assessment = created["id"]
    listed = client.list_airt_assessments(ORG, WORKSPACE, project_id=project)
    assert [one["id"] for one in listed["items"]] == [assessment], listed
    run_cli("airt", "list")
    run_cli("airt", "get", assessment)
    for status in ("running", "completed"):
        client.update_airt_assessment(ORG, WORKSPACE, assessment, status=status)
        assert read(f"{W}/airt/assessments/{assessment}")["status"] == status
    findings = client.get_airt_project_findings(ORG, WORKSPACE, PROJECT)
    assert findings["total"] == read(f"{W}/airt/projects/{PROJECT}/findings")["total"]
    report = client.upload_airt_report(ORG, WORKSPACE, assessment, report_type="markdown", content="# Report")
    assert read(f"{W}/airt/assessments/{assessment}/reports/{report['id']}")["content"] == "# Report"
    return "created, listed, reported to, findings read"


STEPS: list[Callable[[], str]] = [
    login,
    configure,
    sessions,
    runtimes,
    storage,
    registry,
    task_sets,
    secrets,
    evaluations,
    assessments,
    traces,
]


def main() -> int:
    failed = 0
    for step in STEPS:
        try:
            print(f"ok   {step.__name__}: {step()}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL {step.__name__}: {type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
