"""Recorded sessions as conversations, one for each era between two compactions of the context."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .atif import read_steps
from .conversations import Conversation, Message, parse_json, read_messages
from .errors import BadRowError
from .examples import Row


@dataclass(frozen=True, slots=True)
class Item:
    """A message of a session, and whether it is a prompt or a summary; `is_context` ones carry no loss."""

    kind: Literal["prompt", "summary", "message"]
    message: Message
    is_context: bool = False


def to_eras(row: Row) -> list[Conversation]:
    """The eras of a document of ATIF or of Chat Completions; none where nothing was said."""
    document = row if row.get("trajectory") is None else parse_json(row["trajectory"], "trajectory")
    if not isinstance(document, dict):
        raise BadRowError("trajectory", "must be an object")
    if document.get("steps") is not None:
        agent = parse_json(document.get("agent"), "agent")
        tools = agent.get("tool_definitions") if isinstance(agent, dict) else None
        items = [
            Item(kind, message, is_context)
            for kind, message, is_context in read_steps(parse_json(document["steps"], "steps"))
        ]
        return _split(items, tools, "steps")
    if document.get("messages") is not None:
        tools = parse_json(document.get("tools") or None, "tools")
        return _split(_read_openai(document), tools, "messages")
    raise BadRowError("*", "must be a trajectory: a document with `steps` (ATIF) or `messages` (OpenAI)")


def _read_openai(document: Row) -> list[Item]:
    """`metadata` names the messages that are prompts and summaries; else only the first can be a prompt."""
    messages = read_messages(document["messages"], "messages", may_be_empty=True, is_recorded=True)
    metadata = parse_json(document.get("metadata") or {}, "metadata")
    marks = metadata if isinstance(metadata, dict) else {}
    prompts = _places(marks.get("system_prompts"), default=[0])
    summaries = _places(marks.get("compactions"), default=[])
    items = []
    for place, message in enumerate(messages):
        if place in summaries:
            items.append(Item("summary", message))
        elif place in prompts and message["role"] in ("system", "developer"):
            items.append(Item("prompt", message))
        else:
            items.append(Item("message", message))
    return items


def _places(value: Any, default: list[int]) -> set[int]:
    return {place for place in value if isinstance(place, int)} if isinstance(value, list) else set(default)


def _split(items: list[Item], tools: Any, column: str) -> list[Conversation]:
    # A tool that is only a name cannot be written by a template.
    definitions = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return [_to_conversation(era, definitions or None, column) for era in _to_eras(items)]


def _to_eras(items: list[Item]) -> Iterator[list[Item]]:
    """Each era begins with the prompt that was in force and with the summary of what was before it.

    A prompt that begins in the middle of an era stays a system message where it stands.
    """
    prompt: Item | None = None
    front: Item | None = None
    era: list[Item] = []
    for item in items:
        if item.kind == "summary":
            yield from _with_prompt(front, era)
            front, era = prompt, [item]
        elif item.kind == "prompt":
            prompt = item
            if all(other.kind == "summary" for other in era):
                front = item
            else:
                era.append(item)
        else:
            era.append(item)
    yield from _with_prompt(front, era)


def _with_prompt(prompt: Item | None, era: list[Item]) -> Iterator[list[Item]]:
    if era:
        yield [prompt, *era] if prompt else era


def _to_conversation(era: list[Item], tools: list[dict[str, Any]] | None, column: str) -> Conversation:
    messages, trained = [], set()
    for place, item in enumerate(era):
        message = dict(item.message)
        is_trained = message.pop("weight", 1) != 0 and item.kind == "message" and not item.is_context
        if is_trained and message["role"] == "assistant":
            trained.add(place)
        if item.kind == "summary" and message["role"] in ("system", "developer", "tool"):
            # Most templates take one system message, in front; a summary is sent as a user's message.
            message = {"role": "user", "content": message["content"]}
        messages.append(message)
    return Conversation(messages, tools, frozenset(trained), column)
