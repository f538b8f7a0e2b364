"""Steps of ATIF 1.x as messages of Chat Completions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from .conversations import Message, read_arguments, read_content
from .errors import BadRowError

Kind = Literal["prompt", "summary", "message"]
Step = Mapping[str, Any]

NO_RESULT = "[no result]"


def read_steps(steps: Any) -> Iterator[tuple[Kind, Message, bool]]:
    """The messages of all steps: what each is, and whether no model wrote it in this session."""
    if not isinstance(steps, list):
        raise BadRowError("steps", "must be a list")
    for place, step in enumerate(steps):
        column = f"steps[{place}]"
        if not isinstance(step, Mapping):
            raise BadRowError(column, "must be an object")
        source = step.get("source")
        if source == "agent":
            is_context = step.get("is_copied_context") is True or step.get("llm_call_count") == 0
            for message in _read_agent(step, column):
                yield "message", message, is_context
        elif source == "user":
            yield (
                "message",
                {"role": "user", "content": _text(step.get("message"), f"{column}.message")},
                False,
            )
            yield from _read_results_without_call(step, column)
        elif source == "system":
            yield from _read_system(step, column, is_first=place == 0)
        else:
            raise BadRowError(f"{column}.source", f"must be user, agent or system, and is {source!r}")


def _read_system(step: Step, column: str, is_first: bool) -> Iterator[tuple[Kind, Message, bool]]:
    notes = _notes(step)
    kind = notes.get("kind")
    if _is_compaction(step):
        texts = [text for _, text in _results(step, column)]
        role = notes.get("role", "system")
        yield "summary", {"role": role, "content": "\n\n".join(texts)}, True
        return
    if kind == "empty":
        return
    if kind != "result":
        content = _text(step.get("message"), f"{column}.message")
        is_prompt = kind == "prompt" or (kind is None and is_first and not step.get("observation"))
        yield "prompt" if is_prompt else "message", {"role": "system", "content": content}, False
    yield from _read_results_without_call(step, column)


def _read_agent(step: Step, column: str) -> Iterator[Message]:
    message: Message = {"role": "assistant", "content": _text(step.get("message"), f"{column}.message")}
    if isinstance(step.get("reasoning_content"), str):
        message["reasoning_content"] = step["reasoning_content"]
    calls = [
        _read_call(call, f"{column}.tool_calls[{place}]")
        for place, call in enumerate(step.get("tool_calls") or [])
    ]
    if calls:
        message["tool_calls"] = calls
    yield message
    results = _results(step, column)
    for call in calls:
        texts = [text for call_id, text in results if call_id == call["id"]]
        content = "\n".join(texts) if texts else NO_RESULT
        yield {
            "role": "tool",
            "tool_call_id": call["id"],
            "name": call["function"]["name"],
            "content": content,
        }
    known = {call["id"] for call in calls}
    for call_id, text in results:
        if call_id not in known:
            yield _to_orphan(call_id, text)


def _read_call(call: Any, column: str) -> dict[str, Any]:
    if not isinstance(call, Mapping) or not isinstance(call.get("function_name"), str):
        raise BadRowError(column, "must be an object with `tool_call_id`, `function_name` and `arguments`")
    arguments = read_arguments(call.get("arguments"))
    # Arguments that are not a JSON object are kept as text under this one key.
    if isinstance(arguments, dict) and list(arguments) == ["_raw"] and isinstance(arguments["_raw"], str):
        arguments = read_arguments(arguments["_raw"])
    return {
        "id": str(call.get("tool_call_id")),
        "type": "function",
        "function": {"name": call["function_name"], "arguments": arguments},
    }


def _read_results_without_call(step: Step, column: str) -> Iterator[tuple[Kind, Message, bool]]:
    for call_id, text in _results(step, column):
        yield "message", _to_orphan(call_id, text), False


def _to_orphan(call_id: str | None, text: str) -> Message:
    """A template cannot write a result without its call, so the user says it."""
    call = "an unknown call" if call_id is None else f"call {json.dumps(call_id, ensure_ascii=False)}"
    return {"role": "user", "content": f"[result of {call}]\n{text}"}


def _results(step: Step, column: str) -> list[tuple[str | None, str]]:
    """The id of the call and the text of each result; one without content refers to another trajectory."""
    observation = step.get("observation") or {}
    results = observation.get("results") if isinstance(observation, Mapping) else None
    if results is not None and not isinstance(results, list):
        raise BadRowError(f"{column}.observation.results", "must be a list")
    found: list[tuple[str | None, str]] = []
    for place, result in enumerate(results or []):
        if not isinstance(result, Mapping):
            raise BadRowError(f"{column}.observation.results[{place}]", "must be an object")
        call_id = result.get("source_call_id") or _notes(result).get("tool_call_id")
        content = _text(result.get("content"), f"{column}.observation.results[{place}].content")
        found.append((call_id, content))
    return found


def _text(content: Any, column: str) -> str:
    return "" if content is None else read_content(content, column, separator="\n")


def _notes(value: Step) -> Mapping[str, Any]:
    """What the server notes of a step for which ATIF has no field."""
    extra = value.get("extra")
    notes = extra.get("drydock") if isinstance(extra, Mapping) else None
    return notes if isinstance(notes, Mapping) else {}


def _is_compaction(step: Step) -> bool:
    extra = step.get("extra")
    management = extra.get("context_management") if isinstance(extra, Mapping) else None
    return (
        isinstance(management, Mapping)
        and management.get("type") == "compaction"
        and management.get("boundary") == "replace"
    )
