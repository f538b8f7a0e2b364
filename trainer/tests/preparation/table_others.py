"""The table of masks: rows of text, recorded sessions, truncation and packing."""

import json
from typing import Any

from drydock_trainer.preparation import Options

from .cases import Case, assistant, call, chat, system, tool, user
from .templates import CHATML, MISTRAL, THINKING

SCAFFOLD = Options(max_sequence_length=1000, system_prompt="stay brief")

TEXTS = [
    Case("a text", None, [{"text": "once upon a time"}], ["once ⟦ upon a time </s> ⟧"]),
    Case("a text that has its end", None, [{"text": "the end</s>"}], ["the ⟦ end </s> ⟧"]),
    Case(
        "a text with a scaffold, which is for messages",
        None,
        [{"text": "a b"}],
        ["a ⟦ b </s> ⟧"],
        options=SCAFFOLD,
    ),
    Case(
        "a prompt and its completion",
        None,
        [{"prompt": "two plus two is", "completion": " four"}],
        ["two plus two is ⟦ four </s> ⟧"],
    ),
    Case(
        "an empty completion", None, [{"prompt": "say nothing", "completion": ""}], ["say nothing ⟦ </s> ⟧"]
    ),
    Case(
        "an empty text",
        None,
        [{"text": ""}],
        [],
        skipped={"no token that carries loss follows another token": 1},
    ),
    Case(
        "a prompt and its completion as messages: turns of the prompt are context",
        MISTRAL,
        [{"prompt": [user("q1"), assistant("a1"), user("q2")], "completion": [assistant("a2")]}],
        ["<s> [INST] q1 [/INST] a1 </s> [INST] q2 [/INST] ⟦ a2 </s> ⟧"],
    ),
]


def limited(length: int, packing: bool = False) -> Options:
    return Options(max_sequence_length=length, packing=packing)


LENGTHS = [
    Case(
        "an answer that is cut",
        MISTRAL,
        [chat(user("q1"), assistant("one two three"))],
        ["<s> [INST] q1 [/INST] ⟦ one two ⟧"],
        options=limited(6),
    ),
    Case(
        "an answer that ends where the limit is",
        MISTRAL,
        [chat(user("q1"), assistant("one two"))],
        ["<s> [INST] q1 [/INST] ⟦ one two </s> ⟧"],
        options=limited(7),
    ),
    Case(
        "an answer that is cut off",
        MISTRAL,
        [chat(user("q1"), assistant("one"))],
        [],
        options=limited(4),
        skipped={"all tokens that carry loss were cut at max_sequence_length": 1},
    ),
    Case(
        "packed conversations, the longest first",
        MISTRAL,
        [
            chat(user("q1"), assistant("a1")),
            chat(user("q2"), assistant("a2 b2 c2")),
            chat(user("q3"), assistant("a3")),
        ],
        [
            "<s> [INST] q2 [/INST] ⟦ a2 b2 c2 </s> ⟧ <s> [INST] q1 [/INST] ⟦ a1 </s> ⟧",
            "<s> [INST] q3 [/INST] ⟦ a3 </s> ⟧",
        ],
        options=limited(14, packing=True),
    ),
    Case(
        "packed texts, of which none is trained to begin another",
        None,
        [{"text": "a b"}, {"text": "c d"}],
        ["a ⟦ b </s> ⟧ c ⟦ d </s> ⟧"],
        options=limited(6, packing=True),
    ),
    Case(
        "packed conversations, of which one is cut",
        MISTRAL,
        [chat(user("q1"), assistant("a b c d e f")), chat(user("q2"), assistant("g"))],
        ["<s> [INST] q1 [/INST] ⟦ a b c ⟧", "<s> [INST] q2 [/INST] ⟦ g </s> ⟧"],
        options=limited(7, packing=True),
    ),
]


def step(source: str, message: Any = "", **fields: Any) -> dict[str, Any]:
    return {"source": source, "message": message, **fields}


def boundary(summary: str, role: str | None = None) -> dict[str, Any]:
    extra: dict[str, Any] = {"context_management": {"type": "compaction", "boundary": "replace"}}
    if role:
        extra["drydock"] = {"role": role}
    results = {"results": [{"content": summary}]}
    return step("system", "Context compaction performed", observation=results, extra=extra)


def atif(*steps: dict[str, Any], **agent: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": "a", "version": "1", **agent},
        "steps": list(steps),
    }


LOOK = {"tool_call_id": "c1", "function_name": "look", "arguments": {"at": "x"}}
SEEN = {"results": [{"source_call_id": "c1", "content": "seen"}]}

SESSIONS = [
    Case(
        "a document of ATIF",
        CHATML,
        [
            atif(
                step("system", "be kind"),
                step("user", "q1"),
                step("agent", "let me", tool_calls=[LOOK], observation=SEEN),
                step("agent", "a1"),
                tool_definitions=[{"name": "look"}],
            )
        ],
        [
            '<|im_start|> system ⏎ be kind ⏎ tools [ { " name " : " look " } ] <|im_end|> ⏎ '
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ let me ⏎ "
            '<tool_call> { " name " : " look " , '
            '" arguments " : { " at " : " x " } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> user ⏎ result seen <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎"
        ],
        role="trajectories",
    ),
    Case(
        "a document of ATIF with thinking, as text in a cell",
        THINKING,
        [{"trajectory": json.dumps(atif(step("user", "q1"), step("agent", "a1", reasoning_content="t1")))}],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            "⟦ <think> ⏎ t1 ⏎ </think> ⏎ ⏎ a1 <|im_end|> ⟧ ⏎"
        ],
        role="trajectories",
    ),
    Case(
        "a document of ATIF with eras: each has the prompt in force, and its summary is context",
        MISTRAL,
        [
            atif(
                step("system", "p1"),
                step("user", "q1"),
                step("agent", "a1"),
                boundary("s1"),
                step("system", "p2", extra={"drydock": {"kind": "prompt"}}),
                step("agent", "a2"),
                step("user", "q3"),
                step("agent", "a3"),
                boundary("s2", role="user"),
                step("agent", "a4"),
            )
        ],
        [
            "<s> [INST] p1 ⏎ q1 [/INST] ⟦ a1 </s> ⟧",
            "<s> [INST] p2 ⏎ s1 [/INST] ⟦ a2 </s> ⟧ [INST] q3 [/INST] ⟦ a3 </s> ⟧",
            "<s> [INST] p2 ⏎ s2 [/INST] ⟦ a4 </s> ⟧",
        ],
        role="trajectories",
    ),
    Case(
        "steps of ATIF that no model wrote here are context",
        MISTRAL,
        [
            atif(
                step("user", "q1"),
                step("agent", "a1", is_copied_context=True),
                step("user", "q2"),
                step("agent", "a2", llm_call_count=0),
                step("user", "q3"),
                step("agent", "a3"),
            )
        ],
        ["<s> [INST] q1 [/INST] a1 </s> [INST] q2 [/INST] a2 </s> [INST] q3 [/INST] ⟦ a3 </s> ⟧"],
        role="trajectories",
    ),
    Case(
        "an OpenAI document with a scaffold",
        CHATML,
        [
            {
                **chat(
                    user("q1"),
                    assistant(None, tool_calls=[call("look", "not JSON")]),
                    tool("r1"),
                    assistant("a1"),
                ),
                "tools": [],
                "metadata": {"system_prompts": [], "compactions": []},
            }
        ],
        [
            "<|im_start|> system ⏎ stay brief <|im_end|> ⏎ <|im_start|> user ⏎ q1 <|im_end|> ⏎ "
            "<|im_start|> assistant ⏎ ⟦ ⏎ "
            '<tool_call> { " name " : " look " , " arguments " : " not JSON " } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> user ⏎ result r1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎"
        ],
        role="trajectories",
        options=SCAFFOLD,
    ),
    Case(
        "an OpenAI document with eras, of which the assistant wrote a summary",
        CHATML,
        [
            {
                **chat(
                    system("p1"),
                    user("q1"),
                    assistant("a1"),
                    assistant("s1"),
                    system("p2"),
                    user("q2"),
                    assistant("a2"),
                ),
                "metadata": {"system_prompts": [0, 4], "compactions": [3]},
            }
        ],
        [
            "<|im_start|> system ⏎ p1 <|im_end|> ⏎ <|im_start|> user ⏎ q1 <|im_end|> ⏎ "
            "<|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎",
            "<|im_start|> system ⏎ p2 <|im_end|> ⏎ <|im_start|> assistant ⏎ s1 <|im_end|> ⏎ "
            "<|im_start|> user ⏎ q2 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a2 <|im_end|> ⟧ ⏎",
        ],
        role="trajectories",
    ),
    Case(
        "results that are missing or answer no call",
        CHATML,
        [
            atif(
                step("agent", "", tool_calls=[LOOK]),
                step(
                    "system",
                    extra={"drydock": {"kind": "result"}},
                    observation={
                        "results": [{"content": "late", "extra": {"drydock": {"tool_call_id": "c0"}}}]
                    },
                ),
                step("agent", "a1"),
            )
        ],
        [
            "<|im_start|> assistant ⏎ ⟦ ⏎ "
            '<tool_call> { " name " : " look " , '
            '" arguments " : { " at " : " x " } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> user ⏎ result [ no result ] <|im_end|> ⏎ "
            '<|im_start|> user ⏎ [ result of call " c0 " ] ⏎ late <|im_end|> ⏎ '
            "<|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎"
        ],
        role="trajectories",
    ),
    Case(
        "a session in which nothing was said",
        CHATML,
        [atif(step("system", "", extra={"drydock": {"kind": "empty"}})), {"messages": [], "tools": []}],
        [],
        role="trajectories",
        skipped={"the trajectory has no messages": 2},
    ),
]
