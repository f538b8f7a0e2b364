"""Spans of turns: the ways to find them agree, and what cannot be found is refused."""

import random
from typing import Any

import pytest

from drydock_trainer.preparation import BadDataError, Options, Source, TemplateMissingError, prepare

from .cases import assistant, call, chat, system, tool, user
from .templates import CHATML, GENERATION, LLAMA, MISTRAL, NO_SYSTEM, THINKING, THINKING_GENERATION
from .words import make_tokenizer, show

OPTIONS = Options(max_sequence_length=10_000)
WORDS = "user assistant tool system result tools look name arguments one two three four five"


def shown(template: str | None, row: dict[str, Any], options: Options = OPTIONS) -> list[str]:
    tokenizer = make_tokenizer(template, [WORDS, '[{"",}]:', "\n"])
    prepared = prepare([Source("train", "data", [(0, row)])], tokenizer, options)
    return [show(tokenizer, example) for example in prepared.examples]


def random_conversation(seed: int) -> dict[str, Any]:
    """Turns in any order, with calls, thinking, weights and contents that are empty or end in white space."""
    chance = random.Random(seed)

    def words() -> str:
        text = " ".join(chance.choices(["one", "two", "three"], k=chance.randint(0, 3)))
        return chance.choice(["", "\n", " "]) + text + chance.choice(["", "\n", "\n\n"])

    messages = [system("four")] if chance.random() < 0.3 else []
    for _ in range(chance.randint(1, 8)):
        kind = chance.choice(["user", "answer", "answer", "call", "thought", "tool"])
        if kind == "user":
            messages.append(user(words()))
        elif kind == "tool":
            messages.append(tool(words()))
        elif kind == "call":
            messages.append(assistant(words(), tool_calls=[call("look", {})], weight=chance.randint(0, 1)))
        elif kind == "thought":
            messages.append(assistant(words(), reasoning_content="five", weight=chance.randint(0, 1)))
        else:
            messages.append(assistant(words()))
    return chat(*messages)


@pytest.mark.parametrize(
    ("template", "marked"),
    [(CHATML, GENERATION), (THINKING, THINKING_GENERATION)],
    ids=["stable", "thinking"],
)
def test_spans_found_in_the_text_are_those_that_the_template_marks(template: str, marked: str) -> None:
    found = 0
    for seed in range(300):
        row = random_conversation(seed)
        expected = shown(marked, row)
        assert shown(template, row) == expected, f"seed {seed}"
        found += len(expected)
    assert found > 200


def test_prepare_refuses_messages_without_a_template() -> None:
    with pytest.raises(TemplateMissingError, match=r"chat_template\.jinja") as caught:
        shown(None, chat(user("one"), assistant("two")))
    assert isinstance(caught.value, BadDataError)


@pytest.mark.parametrize(
    ("template", "row", "message"),
    [
        (NO_SYSTEM, chat(system("one"), user("two"), assistant("three")), "System role not supported"),
        (MISTRAL, chat(user("one"), user("two"), assistant("three")), "roles must alternate"),
        (LLAMA, chat(assistant("", tool_calls=[call("look", {}), call("look", {})])), "one call at a time"),
        (MISTRAL, chat(user("one"), assistant("", tool_calls=[call("look", {})])), "does not write"),
    ],
)
def test_prepare_names_the_row_that_a_template_refuses(
    template: str, row: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadDataError, match=message) as caught:
        shown(template, row)
    assert [(problem.row, problem.column) for problem in caught.value.problems] == [(0, "messages")]


def test_prepare_names_the_row_when_a_template_refuses_the_scaffold() -> None:
    options = Options(max_sequence_length=10_000, system_prompt="one")
    with pytest.raises(BadDataError, match="System role not supported"):
        shown(NO_SYSTEM, chat(user("two"), assistant("three")), options)


@pytest.mark.parametrize(
    "close",
    ["m.content + '</s>'", "('one' if loop.last else 'two')"],
    ids=["writes an answer twice", "closes earlier turns with another word"],
)
def test_prepare_refuses_a_turn_that_cannot_be_found(close: str) -> None:
    template = "{% for m in messages %}{{ m.role + ' ' + m.content + ' ' + " + close + " }}{% endfor %}"
    with pytest.raises(BadDataError, match=r"cannot be told from|exactly once"):
        shown(template, chat(user("one"), assistant("three"), user("two"), assistant("four")))
