"""Chat completions in OpenAI's form: what is read from a request and what is written into an answer."""

import json
import re
import uuid
from dataclasses import dataclass
from typing import Any

MAX_STOPS = 16
UNSUPPORTED = ("logprobs", "response_format", "logit_bias", "presence_penalty", "frequency_penalty")
TOOL_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
TOOL_CALL_START = "<tool_call>"


class RequestError(Exception):
    """A request that fails with an error in OpenAI's form."""

    def __init__(self, status: int, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        kind = "invalid_request_error" if status < 500 else "server_error"
        self.body = {"error": {"message": message, "type": kind, "param": param, "code": code}}


@dataclass(frozen=True)
class ChatRequest:
    """The settings of one completion."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None
    max_tokens: int | None
    temperature: float
    top_p: float
    stop: tuple[str, ...]
    seed: int | None
    stream: bool
    include_usage: bool

    @staticmethod
    def parse(body: Any) -> "ChatRequest":
        """Read a request; what this server cannot do is refused by name."""
        if not isinstance(body, dict):
            raise RequestError(400, "The body is not a JSON object.")
        messages = body.get("messages")
        if (
            not isinstance(messages, list)
            or not messages
            or not all(isinstance(item, dict) for item in messages)
        ):
            raise RequestError(400, "messages must be a list of at least one message.", "messages")
        if body.get("n") not in (None, 1):
            raise RequestError(400, "This server makes one choice; n must be 1.", "n")
        for name in UNSUPPORTED:
            value = body.get(name)
            if value and value != {"type": "text"}:
                raise RequestError(400, f"This server does not support {name}. Leave it out.", name)
        if body.get("tool_choice") not in (None, "auto", "none"):
            text = 'This server cannot force a tool call; tool_choice must be "auto" or "none".'
            raise RequestError(400, text, "tool_choice")
        tools = body.get("tools") if body.get("tool_choice") != "none" else None
        if tools is not None and not isinstance(tools, list):
            raise RequestError(400, "tools must be a list.", "tools")
        limit_name = (
            "max_completion_tokens" if body.get("max_completion_tokens") is not None else "max_tokens"
        )
        limit = _number(body, limit_name, None, 1, 1 << 31)
        seed = _number(body, "seed", None, -(1 << 63), 1 << 63)
        return ChatRequest(
            messages=[_plain(message) for message in messages],
            tools=tools or None,
            max_tokens=None if limit is None else int(limit),
            temperature=_number(body, "temperature", 0.0, 0, 2) or 0.0,
            # 0 means the most probable token alone.
            top_p=max(_number(body, "top_p", 1.0, 0, 1) or 0.0, 1e-6),
            stop=_stops(body.get("stop")),
            seed=None if seed is None else int(seed),
            stream=bool(body.get("stream")),
            include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        )


def _number(body: dict[str, Any], name: str, default: float | None, low: float, high: float) -> float | None:
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise RequestError(400, f"{name} must be a number from {low:g} to {high:g}.", name)
    return value


def _stops(value: Any) -> tuple[str, ...]:
    stops = [] if value is None else [value] if isinstance(value, str) else value
    if (
        not isinstance(stops, list)
        or len(stops) > MAX_STOPS
        or not all(isinstance(s, str) and s for s in stops)
    ):
        raise RequestError(400, f"stop must be a text or a list of at most {MAX_STOPS} texts.", "stop")
    return tuple(stops)


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """Join text parts and read tool arguments, which templates expect as text and as objects."""
    plain = dict(message)
    content = message.get("content")
    if isinstance(content, list):
        if any(not isinstance(part, dict) or part.get("type") != "text" for part in content):
            raise RequestError(400, "Only text parts are supported in messages.", "messages")
        plain["content"] = "".join(part.get("text", "") for part in content)
    if calls := message.get("tool_calls"):
        plain["tool_calls"] = [_plain_call(call) for call in calls]
    return plain


def _plain_call(call: dict[str, Any]) -> dict[str, Any]:
    function = dict(call.get("function") or {})
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            function["arguments"] = json.loads(arguments or "{}")
        except ValueError:
            raise RequestError(400, "The arguments of a tool call are not valid JSON.", "messages") from None
    return {**call, "function": function}


def split_tool_calls(text: str) -> tuple[str | None, list[dict[str, Any]]]:
    """Take the tool calls out of a text; one that is not valid stays part of the text."""
    calls: list[dict[str, Any]] = []

    def take(match: re.Match[str]) -> str:
        try:
            call = json.loads(match.group(1))
            name, arguments = call["name"], call.get("arguments", {})
        except (ValueError, KeyError, TypeError, AttributeError):
            return match.group(0)
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        function = {"name": name, "arguments": written}
        calls.append({"id": f"call_{uuid.uuid4().hex[:24]}", "type": "function", "function": function})
        return ""

    rest = TOOL_CALL.sub(take, text)
    if not calls:
        return text, []
    return rest.strip() or None, calls


class TextGate:
    """Lets text through piece by piece, and holds back what may become a stop text or a tool call."""

    def __init__(self, stops: tuple[str, ...], hold_tool_calls: bool) -> None:
        self._stops = stops
        self._markers = (*stops, TOOL_CALL_START) if hold_tool_calls else stops
        self._hold_tool_calls = hold_tool_calls
        self._held = ""
        self.text = ""
        self.stopped = False

    def add(self, piece: str) -> str:
        """Take in new text and return what can be shown already."""
        self._held += piece
        found = [position for stop in self._stops if (position := self._held.find(stop)) >= 0]
        if found:
            self._held = self._held[: min(found)]
            self.stopped = True
            return self._release(len(self._held))
        if self._hold_tool_calls and (start := self._held.find(TOOL_CALL_START)) >= 0:
            return self._release(start)
        return self._release(len(self._held) - self._longest_beginning())

    def end(self) -> str:
        """The rest, once no more text comes."""
        return self._release(len(self._held))

    def _release(self, count: int) -> str:
        shown, self._held = self._held[:count], self._held[count:]
        self.text += shown
        return shown

    def _longest_beginning(self) -> int:
        """How many of the last characters may be the beginning of a marker."""
        longest = max((len(marker) for marker in self._markers), default=0)
        for count in range(min(longest - 1, len(self._held)), 0, -1):
            if any(marker.startswith(self._held[-count:]) for marker in self._markers):
                return count
        return 0
