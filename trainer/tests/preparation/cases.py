"""What a row of the table of masks is made of."""

from dataclasses import dataclass, field
from typing import Any

from drydock_trainer.preparation import Options


@dataclass(frozen=True)
class Case:
    """Rows of one source, and the sequences that must come of them, written by hand.

    In `expected` the tokens that carry loss are between ⟦ and ⟧, and ⏎ is a line break.
    """

    title: str
    template: str | None
    rows: list[dict[str, Any]]
    expected: list[str]
    role: Any = "train"
    options: Options = field(default_factory=lambda: Options(max_sequence_length=1000))
    skipped: dict[str, int] = field(default_factory=dict)


def chat(*messages: dict[str, Any], **columns: Any) -> dict[str, Any]:
    return {"messages": list(messages), **columns}


def system(content: str) -> dict[str, Any]:
    return {"role": "system", "content": content}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **fields}


def call(name: str, arguments: Any, id: str = "c1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool(content: str, id: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}
