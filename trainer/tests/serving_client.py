"""A served model as a process of its own, and requests over its unix socket."""

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import environment


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("unix", timeout=120)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(120)
        self.sock.connect(str(self._path))


class Client:
    """Requests to one served model."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes]) -> None:
        self.path = path
        self.process = process

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        connection = UnixConnection(self.path)
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    def chat(self, question: str, **settings: Any) -> tuple[int, dict[str, Any]]:
        body = {
            "messages": [{"role": "user", "content": question}],
            "temperature": 0,
            "max_tokens": 16,
            **settings,
        }
        return self.call("POST", "/v1/chat/completions", body)

    def ask(self, question: str) -> str:
        _, answer = self.chat(question)
        content: str = answer["choices"][0]["message"]["content"]
        return content

    def stream(self, question: str, **settings: Any) -> list[dict[str, Any]]:
        messages = [{"role": "user", "content": question}]
        body = {"messages": messages, "temperature": 0, "max_tokens": 16, "stream": True, **settings}
        connection = UnixConnection(self.path)
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        lines = connection.getresponse().read().decode().split("\n\n")
        assert lines[-2:] == ["data: [DONE]", ""]
        return [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]


@contextmanager
def served(model: Path, folder: Path, *more: str) -> Iterator[Client]:
    """Serve a model until the block ends; the process ends because its standard input closes."""
    path = folder / "model.sock"
    command = [
        sys.executable,
        "-m",
        "drydock_trainer",
        "serve",
        "--model",
        str(model),
        "--socket",
        str(path),
        *more,
    ]
    process = subprocess.Popen(command, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    for line in process.stderr:
        if b"Serving" in line:
            break
    try:
        yield Client(path, process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.stderr.close()
        assert process.wait(600) == 0
        assert not path.exists()
