"""The table of masks: tool calls and thinking."""

from .cases import Case, assistant, call, chat, tool, user
from .templates import CHATML, GENERATION, LLAMA, THINKING, THINKING_ASKED, THINKING_GENERATION

TOOLS = [
    Case(
        "a tool call with its result and the answer",
        CHATML,
        [
            chat(
                user("when"),
                assistant(None, tool_calls=[call("clock", "{}")]),
                tool("noon"),
                assistant("at noon"),
            )
        ],
        [
            "<|im_start|> user ⏎ when <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            '⟦ ⏎ <tool_call> { " name " : " clock " , " arguments " : { } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> user ⏎ result noon <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ at noon <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "a tool call that the template marks",
        GENERATION,
        [
            chat(
                user("when"),
                assistant("", tool_calls=[call("clock", {"zone": 1})]),
                tool("noon"),
                assistant("noon"),
            )
        ],
        [
            "<|im_start|> user ⏎ when <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            '⟦ ⏎ <tool_call> { " name " : " clock " , '
            '" arguments " : { " zone " : 1 } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> user ⏎ result noon <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ noon <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "a tool call of weight 0",
        LLAMA,
        [
            chat(
                user("when"),
                assistant(None, tool_calls=[call("clock", '{"zone": 1}')], weight=0),
                tool("noon"),
                assistant("late"),
            )
        ],
        [
            "<s> <|start_header_id|> user <|end_header_id|> ⏎ ⏎ when <|eot_id|> "
            "<|start_header_id|> assistant <|end_header_id|> ⏎ ⏎ "
            '{ " name " : " clock " , " parameters " : { " zone " : 1 } } <|eot_id|> '
            "<|start_header_id|> ipython <|end_header_id|> ⏎ ⏎ noon <|eot_id|> "
            "<|start_header_id|> assistant <|end_header_id|> ⏎ ⏎ ⟦ late <|eot_id|> ⟧"
        ],
    ),
    Case(
        "tools, which are context",
        CHATML,
        [chat(user("hi"), assistant("hello"), tools='[{"name": "clock"}]')],
        [
            '<|im_start|> system ⏎ tools [ { " name " : " clock " } ] <|im_end|> ⏎ '
            "<|im_start|> user ⏎ hi <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ hello <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "two calls at once with text before them",
        CHATML,
        [
            chat(
                user("go"),
                assistant("both", tool_calls=[call("left", {}), call("right", {}, "c2")]),
                tool("l"),
                tool("r", "c2"),
            )
        ],
        [
            "<|im_start|> user ⏎ go <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            '⟦ both ⏎ <tool_call> { " name " : " left " , " arguments " : { } } </tool_call> '
            '⏎ <tool_call> { " name " : " right " , " arguments " : { } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> user ⏎ result l <|im_end|> ⏎ <|im_start|> user ⏎ result r <|im_end|> ⏎"
        ],
    ),
]

THOUGHTS = [
    Case(
        "thinking of an earlier turn, which the template leaves out",
        template,
        [
            chat(
                user("q1"),
                assistant("<think>\nt1\n</think>\n\na1"),
                user("q2"),
                assistant("<think>t2</think>a2"),
            )
        ],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎ "
            "<|im_start|> user ⏎ q2 <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            "⟦ <think> ⏎ t2 ⏎ </think> ⏎ ⏎ a2 <|im_end|> ⟧ ⏎"
        ],
    )
    for template in (THINKING, THINKING_GENERATION)
] + [
    Case(
        "no thinking, where the template writes an empty block in the last turn",
        THINKING,
        [chat(user("q1"), assistant("a1"), user("q2"), assistant("a2"))],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎ "
            "<|im_start|> user ⏎ q2 <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            "⟦ <think> ⏎ ⏎ </think> ⏎ ⏎ a2 <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "thinking between tool calls, which the template keeps where it is given",
        THINKING,
        [
            chat(
                user("q1"),
                assistant("", tool_calls=[call("look", {})]),
                tool("r1"),
                assistant("", reasoning_content="t2", tool_calls=[call("look", {})]),
                tool("r2"),
                assistant("a3", reasoning_content="t3"),
            )
        ],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            '⟦ ⏎ <tool_call> { " name " : " look " , " arguments " : { } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> tool ⏎ r1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ <think> ⏎ t2 ⏎ </think> ⏎ ⏎ "
            '⏎ <tool_call> { " name " : " look " , " arguments " : { } } </tool_call> <|im_end|> ⟧ ⏎ '
            "<|im_start|> tool ⏎ r2 <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            "⟦ <think> ⏎ t3 ⏎ </think> ⏎ ⏎ a3 <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "thinking of an earlier turn of weight 0",
        THINKING_GENERATION,
        [chat(user("q1"), assistant("a1", reasoning_content="t1", weight=0), user("q2"), assistant("a2"))],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ a1 <|im_end|> ⏎ "
            "<|im_start|> user ⏎ q2 <|im_end|> ⏎ <|im_start|> assistant ⏎ "
            "⟦ <think> ⏎ ⏎ </think> ⏎ ⏎ a2 <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "thinking that the generation prompt begins: the model does not write the beginning",
        THINKING_ASKED,
        [chat(user("q1"), assistant("a1"), user("q2"), assistant("a2", reasoning_content="t2"))],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎ "
            "<|im_start|> user ⏎ q2 <|im_end|> ⏎ <|im_start|> assistant ⏎ <think> ⏎ "
            "⟦ t2 ⏎ </think> ⏎ ⏎ a2 <|im_end|> ⟧ ⏎"
        ],
    ),
    Case(
        "turns one after the other, of which the last has an empty block of thinking",
        THINKING,
        [chat(user("q1"), assistant("a1"), assistant("a2"))],
        [
            "<|im_start|> user ⏎ q1 <|im_end|> ⏎ <|im_start|> assistant ⏎ ⟦ a1 <|im_end|> ⟧ ⏎ "
            "<|im_start|> assistant ⏎ ⟦ <think> ⏎ ⏎ </think> ⏎ ⏎ a2 <|im_end|> ⟧ ⏎"
        ],
    ),
]
