"""Chat completions over a unix socket."""

import json
import logging
import os
import select
import socket
import socketserver
import sys
import threading
import time
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from drydock_trainer.serving.chat import (
    TOOL_CALL_START,
    ChatRequest,
    RequestError,
    TextGate,
    split_tool_calls,
)
from drydock_trainer.serving.generator import Ended, Generator

log = logging.getLogger(__name__)

MAX_WAITING = 16
LARGEST_BODY_BYTES = 16 << 20


class Service:
    """The model and the line of requests before it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.generator: Generator | None = None
        self.created = int(time.time())
        self._turn = threading.Lock()
        self._places = threading.Semaphore(MAX_WAITING)
        self._active = 0
        self._count = threading.Lock()
        self.last_used = time.monotonic()

    def loaded(self) -> Generator:
        """The model; requests before it is loaded get a 503."""
        if self.generator is None:
            raise RequestError(503, "The model is being loaded. Try again in a few seconds.", code="loading")
        return self.generator

    def take_turn(self, work: Callable[[Generator], None]) -> None:
        """Run `work` when it is its turn; requests run one after the other."""
        generator = self.loaded()
        if not self._places.acquire(blocking=False):
            text = f"{MAX_WAITING} requests are waiting already. Try again later."
            raise RequestError(503, text, code="overloaded")
        self._use(1)
        try:
            with self._turn:
                work(generator)
        finally:
            self._use(-1)
            self._places.release()

    def _use(self, change: int) -> None:
        with self._count:
            self._active += change
            self.last_used = time.monotonic()

    def idle_seconds(self) -> float:
        """How long no request was there."""
        with self._count:
            return 0.0 if self._active else time.monotonic() - self.last_used


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    service: Service
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: Any) -> None:
        """Requests are not logged: their paths and bodies are the users' own."""

    def do_GET(self) -> None:
        if self.path == "/health":
            ready = self.service.generator is not None
            return self.send_json(200 if ready else 503, {"status": "ok" if ready else "loading"})
        if self.path == "/v1/models":
            model = {
                "id": self.service.name,
                "object": "model",
                "created": self.service.created,
                "owned_by": "local",
            }
            return self.send_json(200, {"object": "list", "data": [model]})
        return self._fail(RequestError(404, f"There is nothing at {self.path}."))

    def do_POST(self) -> None:
        try:
            if self.path != "/v1/chat/completions":
                raise RequestError(404, f"There is nothing at {self.path}.")
            request = ChatRequest.parse(self._body())
            self.service.take_turn(lambda generator: Completion(self, generator, request).run())
        except RequestError as error:
            self._fail(error)
        except (ConnectionError, Ended):
            self.close_connection = True
        except Exception:
            log.exception("A completion failed.")
            self.close_connection = True
            self._fail(RequestError(500, "The model failed. The trainer's own log has the details."))

    def _body(self) -> Any:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LARGEST_BODY_BYTES:
            self.close_connection = True
            raise RequestError(
                413, f"A request needs a Content-Length of at most {LARGEST_BODY_BYTES} bytes."
            )
        try:
            return json.loads(self.rfile.read(int(length)))
        except ValueError:
            raise RequestError(400, "The body is not valid JSON.") from None

    def client_left(self) -> bool:
        """Whether the other side has closed the connection."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def start_stream(self) -> None:
        """Begin an answer of server-sent events, which ends with the connection."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()

    def event(self, data: dict[str, Any] | None) -> None:
        """Send one event, or the last one."""
        text = "[DONE]" if data is None else json.dumps(data, ensure_ascii=False)
        self.wfile.write(f"data: {text}\n\n".encode())

    def _fail(self, error: RequestError) -> None:
        self.send_json(error.status, error.body)

    def send_json(self, status: int, body: dict[str, Any]) -> None:
        """Send a whole answer."""
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Completion:
    """One answer to one request, whole or in pieces."""

    def __init__(self, handler: Handler, generator: Generator, request: ChatRequest) -> None:
        self._handler = handler
        self._generator = generator
        self._request = request
        self._gate = TextGate(request.stop, hold_tool_calls=request.tools is not None)
        self._common = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time())}
        self._common["model"] = handler.service.name

    def run(self) -> None:
        """Generate and send; nothing is generated for a client that has left while it waited."""
        if self._handler.client_left():
            raise Ended
        prompt = self._generator.prompt(self._request)
        if self._request.stream:
            self._handler.start_stream()
            self._chunk({"role": "assistant", "content": ""})
        pieces: list[str] = []
        count, reason = self._generator.run(
            self._request, prompt, self._gate, lambda text: self._show(text, pieces)
        )
        content, calls = self._split("".join(pieces))
        reason = "tool_calls" if calls else reason
        usage = {
            "prompt_tokens": len(prompt),
            "completion_tokens": count,
            "total_tokens": len(prompt) + count,
        }
        if self._request.stream:
            self._end_stream(content, calls, reason, usage)
        else:
            self._send_whole(content, calls, reason, usage)

    def _split(self, text: str) -> tuple[str | None, list[dict[str, Any]]]:
        return (text, []) if self._request.tools is None else split_tool_calls(text)

    def _show(self, text: str, pieces: list[str]) -> None:
        if self._handler.client_left():
            raise ConnectionAbortedError
        pieces.append(text)
        # Whether a tool call is one is known when everything is there, so what follows its tag waits for the
        # end.
        certain = text if self._request.tools is None else text.split(TOOL_CALL_START)[0]
        if self._request.stream and certain:
            self._chunk({"content": certain})

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        self._handler.event({**self._common, "object": "chat.completion.chunk", "choices": [choice]})

    def _end_stream(
        self, content: str | None, calls: list[dict[str, Any]], reason: str, usage: dict[str, int]
    ) -> None:
        if calls:
            self._chunk({"tool_calls": [{"index": index, **call} for index, call in enumerate(calls)]})
        elif self._request.tools is not None and content is not None and TOOL_CALL_START in content:
            self._chunk({"content": content[content.find(TOOL_CALL_START) :]})
        self._chunk({}, reason)
        if self._request.include_usage:
            self._handler.event(
                {**self._common, "object": "chat.completion.chunk", "choices": [], "usage": usage}
            )
        self._handler.event(None)

    def _send_whole(
        self, content: str | None, calls: list[dict[str, Any]], reason: str, usage: dict[str, int]
    ) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        answer = {**self._common, "object": "chat.completion", "choices": [choice], "usage": usage}
        self._handler.send_json(200, answer)


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """A thread for each connection; the model itself takes one request at a time."""

    daemon_threads = True
    request_queue_size = 64


def _exit_when_parent_dies(path: Path) -> None:
    """Standard input closes when the parent ends; a server without it would hold the memory for nobody."""
    while sys.stdin.buffer.read(1 << 12):
        continue
    _exit(path, 0)


def _exit_when_idle(service: Service, seconds: float, path: Path) -> None:
    while (idle := service.idle_seconds()) < seconds:
        time.sleep(min(max(seconds - idle, 0.05), 5.0))
    log.info("No request for %.0f s; exiting.", seconds)
    _exit(path, 0)


def _exit(path: Path, code: int) -> None:
    path.unlink(missing_ok=True)
    os._exit(code)


def serve(model: Path, base: Path | None, path: Path, idle_exit_seconds: float | None) -> int:
    """Listen at once, load the model, and answer until the parent dies or nobody asks."""
    path.unlink(missing_ok=True)
    service = Service(model.name)
    handler = type("BoundHandler", (Handler,), {"service": service})
    # Only its owner may open the socket, since every client that can open it can use the model.
    previous = os.umask(0o177)
    server = UnixServer(str(path), handler)
    os.umask(previous)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=_exit_when_parent_dies, args=(path,), daemon=True).start()
    try:
        service.generator = Generator(model, base)
    except (OSError, ValueError, KeyError) as error:
        print(f"The model in {model} does not load: {error}", file=sys.stderr)
        _exit(path, 1)
    service.last_used = time.monotonic()
    log.info("Serving %s at %s.", model, path)
    if idle_exit_seconds is not None:
        _exit_when_idle(service, idle_exit_seconds, path)
    threading.Event().wait()
    return 0
