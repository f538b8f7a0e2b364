"""A few lines over httpx that the examples share: calls with the key, and bundles of files."""

import io
import json
import os
import tarfile
import time
from collections.abc import Mapping
from typing import Any

import httpx

URL = os.environ["DRYDOCK_URL"]
KEY = os.environ["DRYDOCK_API_KEY"]
GATEWAY = f"{URL}/api/v1/org/main/inference/v1"
WORKSPACE = "/ws/main"

_client = httpx.Client(
    base_url=f"{URL}/api/v1/org/main", headers={"Authorization": f"Bearer {KEY}"}, timeout=60
)


def call(method: str, path: str, body: object = None, *, accept: tuple[int, ...] = ()) -> Any:
    """Returns the response; raises for an error whose status is not accepted."""
    response = _client.request(method, path, json=body)
    if response.is_error and response.status_code not in accept:
        raise RuntimeError(f"{method} {path}: {response.status_code} {response.text}")
    return response.json() if response.content else None


def publish(path: str, files: Mapping[str, str]) -> Any:
    """Publishes version 1.0.0. An existing version with the same content stays unchanged."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as bundle:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            bundle.addfile(entry, io.BytesIO(text.encode()))
    headers = {"Content-Type": "application/gzip"}
    return _client.put(f"{path}/1.0.0", content=packed.getvalue(), headers=headers).raise_for_status().json()


def publish_task(name: str, word: str) -> None:
    """Publishes a task that `sim/tool-user` solves by running the shell block of the instruction."""
    block = f"```sh\necho {word} > word.txt; cat word.txt\n```"
    task = {
        "name": name,
        "version": "1.0.0",
        "instruction": f"Write the word {word} into word.txt:\n\n{block}\n",
        "verification": {"method": "script", "script": "verify.sh"},
    }
    verify = f"grep -qx {word} /workspace/word.txt\n"
    publish(f"/tasks/{name}", {"task.yaml": json.dumps(task), "verify.sh": verify})


def wait_for_end(path: str) -> Any:
    """Polls a job until it has ended."""
    while True:
        job = call("GET", path)
        if job["status"] in ("completed", "failed", "cancelled"):
            return job
        time.sleep(0.5)
