"""Rows as conversations in the form that chat templates take, or as plain texts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import BadRowError
from .examples import Row

Message = dict[str, Any]

ROLES = ("system", "developer", "user", "assistant", "tool")
SYSTEM_ROLES = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages for a chat template. `trained` holds the places of the assistant turns that carry loss."""

    messages: list[Message]
    tools: list[dict[str, Any]] | None
    trained: frozenset[int]
    column: str = "messages"

    def with_system_prompt(self, prompt: str | None) -> "Conversation":
        """The conversation with the prompt in front, unless it has a system message of its own."""
        if not prompt or any(message["role"] in SYSTEM_ROLES for message in self.messages):
            return self
        messages = [{"role": "system", "content": prompt}, *self.messages]
        return Conversation(messages, self.tools, frozenset(place + 1 for place in self.trained), self.column)


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text without a template; its tokens carry loss from the character `loss_start` on."""

    text: str
    loss_start: int


def to_sample(row: Row) -> Conversation | PlainText:
    """What a row of a dataset says; of several forms the first of messages, prompt and completion, text."""
    if _is_given(row, "messages"):
        return _build(read_messages(row["messages"], "messages"), row, "messages", loss_from=0)
    if row.get("prompt") is not None and row.get("completion") is not None:
        return _read_completion(row)
    if row.get("text") is not None:
        return PlainText(_read_text(row["text"], "text"), loss_start=0)
    given = ", ".join(sorted(key for key, value in row.items() if value is not None)) or "none"
    raise BadRowError(
        "*", f"must have `messages`, `prompt` and `completion`, or `text`; its columns are: {given}"
    )


def _read_completion(row: Row) -> Conversation | PlainText:
    prompt, completion = row["prompt"], row["completion"]
    if isinstance(prompt, str) and isinstance(completion, str):
        return PlainText(prompt + completion, loss_start=len(prompt))
    if not (isinstance(prompt, list) and isinstance(completion, list)):
        raise BadRowError("completion", "must be a text as the prompt is, or both must be lists of messages")
    before = read_messages(prompt, "prompt", may_be_empty=True)
    messages = before + read_messages(completion, "completion")
    return _build(messages, row, "completion", loss_from=len(before))


def _build(messages: list[Message], row: Row, column: str, loss_from: int) -> Conversation:
    trained = frozenset(
        place
        for place, message in enumerate(messages)
        if _pop_weight(message) and message["role"] == "assistant" and place >= loss_from
    )
    return Conversation(messages, read_tools(row), trained, column)


def read_tools(row: Row) -> list[dict[str, Any]] | None:
    """The tools of a row; none and an empty list are the same."""
    if not _is_given(row, "tools"):
        return None
    tools = parse_json(row["tools"], "tools")
    if not isinstance(tools, list):
        raise BadRowError("tools", "must be a list")
    for place, tool in enumerate(tools):
        if not isinstance(tool, dict):
            raise BadRowError(f"tools[{place}]", "must be an object")
    return tools or None


def read_messages(
    value: Any, column: str, *, may_be_empty: bool = False, is_recorded: bool = False
) -> list[Message]:
    """Checked messages whose content is text. A recorded one may have arguments that are not JSON."""
    messages = parse_json(value, column)
    if not isinstance(messages, list) or not (messages or may_be_empty):
        raise BadRowError(column, "must be a list with at least one message")
    return [
        _read_message(message, f"{column}[{place}]", is_recorded) for place, message in enumerate(messages)
    ]


def _read_message(value: Any, column: str, is_recorded: bool) -> Message:
    if not isinstance(value, Mapping):
        raise BadRowError(column, "must be an object with `role` and `content`")
    message = {key: item for key, item in value.items() if item is not None}
    role = message.get("role")
    if role not in ROLES:
        raise BadRowError(f"{column}.role", f"must be one of {', '.join(ROLES)}, and is {_shown(role)}")
    calls = message.pop("tool_calls", None) or []
    if calls:
        if role != "assistant":
            raise BadRowError(f"{column}.tool_calls", f"is for the assistant alone, and the role is {role}")
        message["tool_calls"] = _read_calls(calls, f"{column}.tool_calls", is_recorded)
    if "content" not in message and not calls:
        raise BadRowError(f"{column}.content", "must be a text, because the message has no tool calls")
    # A template that adds up texts would write a missing content as "None".
    message["content"] = read_content(message.get("content", ""), f"{column}.content")
    weight = message.get("weight", 1)
    if isinstance(weight, bool) or weight not in (0, 1):
        raise BadRowError(f"{column}.weight", f"must be 0 or 1, and is {_shown(weight)}")
    return message


def read_content(content: Any, column: str, separator: str = "") -> str:
    """A text, or the texts of its parts joined."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise BadRowError(column, f"must be a text or a list of text parts, and is {_shown(content)}")
    texts = []
    for place, part in enumerate(content):
        kind = part.get("type", "text") if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping) or kind != "text" or not isinstance(part.get("text"), str):
            raise BadRowError(
                f"{column}[{place}]",
                f"must be a text part, and is {_shown(kind or part)}; only texts can be trained on",
            )
        texts.append(part["text"])
    return separator.join(texts)


def _read_calls(calls: Any, column: str, is_recorded: bool) -> list[dict[str, Any]]:
    if not isinstance(calls, list):
        raise BadRowError(column, "must be a list")
    return [_read_call(call, f"{column}[{place}]", is_recorded) for place, call in enumerate(calls)]


def _read_call(call: Any, column: str, is_recorded: bool) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise BadRowError(f"{column}.function", "must be an object with `name` and `arguments`")
    arguments = read_arguments(function.get("arguments"))
    if not isinstance(arguments, dict) and not is_recorded:
        raise BadRowError(f"{column}.function.arguments", "must be a JSON object, or the text of one")
    return {"type": "function", **call, "function": {**function, "arguments": arguments}}


def read_arguments(arguments: Any) -> dict[str, Any] | str:
    """The object that templates take; what is not the text of one stays the text that it is."""
    if isinstance(arguments, Mapping):
        return dict(arguments)
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, TypeError, RecursionError):
        return str(arguments)
    return parsed if isinstance(parsed, dict) else str(arguments)


def parse_json(value: Any, column: str) -> Any:
    """The value, or what its text spells: cells of CSV and Parquet hold JSON as text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise BadRowError(column, f"is not JSON ({error})") from error


def _pop_weight(message: Message) -> bool:
    return bool(message.pop("weight", 1) != 0)


def _read_text(value: Any, column: str) -> str:
    if not isinstance(value, str):
        raise BadRowError(column, f"must be a text, and is {_shown(value)}")
    return value


def _is_given(row: Row, column: str) -> bool:
    """An empty cell of CSV is an empty text."""
    return row.get(column) not in (None, "")


def _shown(value: Any) -> str:
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
