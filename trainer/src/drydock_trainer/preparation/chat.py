"""Conversations written by a tokenizer's chat template, and the places in the text that carry loss.

Each turn of the assistant is one span of characters. It begins behind the generation prompt (the header
that the template writes when a model is asked) and ends with what the template writes behind the turn when
that is the last message, so the token that ends a turn carries loss. White space behind that token is left
out, because a model stops before it. A template with `{% generation %}` says itself what its spans are.

A template that leaves out the thinking of earlier turns is trained as it writes: such turns carry loss
without their thinking. Give them `weight: 0` where that is not wanted.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from transformers.utils.chat_template_utils import render_jinja_template

from .conversations import Conversation, Message
from .errors import BadRowError

Span = tuple[int, int]

COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
TAG = re.compile(r"\{%[-+]?\s*(?P<name>\w+)(?P<rest>.*?)[-+]?%\}", re.DOTALL)
BUFFERS = ("macro", "call", "filter", "set")

# These stand for an answer and its thinking while a template is probed; templates trim white space.
PROBE = "drydock-answer-7f3a9c"
THOUGHT = "drydock-thought-5e81d2"


class TemplateFailure(Exception):
    """A conversation that the template refuses, or whose turns cannot be found in what it writes."""


class ChatTemplate:
    """The chat template of a tokenizer, if it has one."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.added_tokens_decoder.values()
        specials = {*tokenizer.all_special_tokens, *(token.content for token in added if token.special)}
        self._specials = tuple(sorted(specials))
        self.is_missing = not tokenizer.chat_template

    def write(self, conversation: Conversation) -> tuple[str, list[Span]]:
        """The text of a conversation, and the spans of its trained turns."""
        source = self._tokenizer.get_chat_template(None, conversation.tools)
        conversation = _adapt(conversation, source)
        try:
            if _marks_generation(source):
                return self._write_marked(conversation, source)
            writing = _Writing(self._tokenizer, conversation, self._specials)
            return writing.text, [writing.find_span(place) for place in sorted(conversation.trained)]
        except TemplateFailure as failure:
            raise BadRowError(conversation.column, str(failure)) from failure

    def _write_marked(self, conversation: Conversation, source: str) -> tuple[str, list[Span]]:
        """The spans that the template marks, but for those in turns that are not trained."""
        try:
            rendered: Any = render_jinja_template(
                conversations=[conversation.messages],
                tools=[*conversation.tools] if conversation.tools else None,
                chat_template=source,
                return_assistant_tokens_mask=True,
                **self._tokenizer.special_tokens_map,
            )
        except Exception as error:
            raise _refused(error) from error
        (text,), (spans,) = rendered
        untrained = [
            place
            for place, message in enumerate(conversation.messages)
            if message["role"] == "assistant" and place not in conversation.trained
        ]
        if untrained:
            writing = _Writing(self._tokenizer, conversation, self._specials)
            masked = [writing.find_span(place) for place in untrained]
            spans = [span for span in spans if not _overlaps(span, masked)]
        return text, spans


class _Writing:
    """One conversation as its template writes it."""

    def __init__(self, tokenizer: Any, conversation: Conversation, specials: tuple[str, ...]) -> None:
        self._tokenizer = tokenizer
        self._messages = conversation.messages
        self._tools = conversation.tools
        self._specials = specials
        self.text = self._write(self._messages)

    def find_span(self, place: int) -> Span:
        """The span of the assistant turn at this place."""
        start, end = self._find_by_prefix(place) or self._find_by_probe(place)
        closed = self.text[start:end].rstrip()
        # What follows the token that ends a turn belongs to the template.
        return (start, start + len(closed)) if closed.endswith(self._specials) else (start, end)

    def _find_by_prefix(self, place: int) -> Span | None:
        """The span where the conversation up to the turn is written as the beginning of the whole."""
        if place == 0:
            return None
        try:
            plain, asked = self._write_asked(self._messages[:place])
            through = self._write(self._messages[: place + 1]) if self._has_more(place) else self.text
        except TemplateFailure:
            return None
        has_prompt = asked.startswith(plain) and asked != plain
        is_stable = through.startswith(asked) and self.text.startswith(through)
        return (len(asked), len(through)) if has_prompt and is_stable else None

    def _find_by_probe(self, place: int) -> Span:
        """The span where prefixes do not tell: the template writes earlier turns in another way than the
        last one, has no generation prompt, or the conversation begins with the turn.

        The turn's answer is replaced in the whole conversation. What is then before and behind it must be
        before and behind the turn in the text too, or the row is refused. Calls are left out first, because
        templates write them in another way behind a text, and kept where results would lack their call.
        """
        turn = self._messages[place]
        probe: Message = {"role": "assistant", "content": PROBE}
        if turn.get("reasoning_content"):
            probe["reasoning_content"] = THOUGHT
        probes = [probe, {**probe, "tool_calls": turn["tool_calls"]}] if "tool_calls" in turn else [probe]
        failure = _not_found(place)
        for one in probes:
            try:
                span = self._locate(place, one)
            except TemplateFailure as error:
                failure = error
                continue
            if span:
                return span
        raise failure

    def _locate(self, place: int, probe: Message) -> Span | None:
        before, behind = self._messages[:place], self._messages[place + 1 :]
        head, tail = self._probe([*before, probe, *behind])
        last_tail = self._probe([*before, probe])[1] if behind else tail
        start = self._find_start(head)
        answer_end = len(self.text) - len(tail)
        closing = self._find_closing(tail, last_tail)
        if start is None or closing is None or start > answer_end:
            return None
        is_same = self.text.startswith(head[:start]) and self.text.endswith(tail)
        return (start, answer_end + closing) if is_same else None

    def _find_start(self, head: str) -> int | None:
        """Offset at which the turn begins; the text before the answer is known."""
        prompt, header = self._header
        if not prompt:
            return len(head)
        written = next((size for size in range(len(header), 0, -1) if head.endswith(header[:size])), None)
        return None if written is None else len(head) - max(0, written - len(prompt))

    @cached_property
    def _header(self) -> tuple[str, str]:
        """The generation prompt, and all that is written before an answer; both empty if it has none.

        A template may write an empty block of thinking between its generation prompt and the answer, which a
        model writes itself, and may leave out the block that its generation prompt begins in earlier turns.
        How it asks is learned from a single question, which every template takes.
        """
        question = [{"role": "user", "content": PROBE[::-1]}]
        plain, asked = self._write_asked(question)
        answered, _ = self._probe([*question, {"role": "assistant", "content": PROBE}])
        if not (asked.startswith(plain) and answered.startswith(asked)):
            return "", ""
        return asked[len(plain) :], answered[len(plain) :]

    def _find_closing(self, tail: str, last_tail: str) -> int | None:
        """How much of the text behind an answer closes its turn: as much as behind the last one.

        A template may end the whole conversation with a token that no other turn has, if another token ends
        the turns or none does.
        """
        if tail.startswith(last_tail):
            return len(last_tail)
        for special in self._specials:
            body = last_tail.rstrip().removesuffix(special)
            if body != last_tail.rstrip() and tail.startswith(body):
                is_closed = body.rstrip().endswith(self._specials)
                return len(body) if is_closed or not tail[len(body) :].startswith(self._specials) else None
        return None

    def _write_asked(self, messages: Sequence[Message]) -> tuple[str, str]:
        """The messages alone, and as a model is asked with them."""
        return self._write(messages), self._write(messages, asks=True)

    def _has_more(self, place: int) -> bool:
        return place < len(self._messages) - 1

    def _probe(self, messages: Sequence[Message]) -> tuple[str, str]:
        """What is written before and behind the answer that was replaced, thinking included."""
        text = self._write(messages)
        if text.count(PROBE) != 1 or text.count(THOUGHT) > 1:
            raise TemplateFailure(
                "the model's chat template does not write a turn of the assistant exactly once; use a "
                "template with {% generation %}"
            )
        head, _, tail = text.partition(PROBE)
        return head.partition(THOUGHT)[0], tail

    def _write(self, messages: Sequence[Message], asks: bool = False) -> str:
        try:
            text = self._tokenizer.apply_chat_template(
                list(messages), tools=self._tools, add_generation_prompt=asks, tokenize=False
            )
        # A template is a program of its own that can fail in any way.
        except Exception as error:
            raise _refused(error) from error
        return str(text)


def _marks_generation(source: str) -> bool:
    """Whether transformers can tell what a template generates: not where a block's text is buffered."""
    buffers = 0
    marks = False
    for tag in TAG.finditer(COMMENT.sub("", source)):
        name, rest = tag["name"], tag["rest"]
        if name in BUFFERS and not (name == "set" and "=" in rest):
            buffers += 1
        elif name.startswith("end") and name[3:] in BUFFERS:
            buffers -= 1
        elif name == "for" and rest.split()[-1:] == ["recursive"]:
            return False
        elif name == "generation":
            if buffers > 0:
                return False
            marks = True
    return marks


def _adapt(conversation: Conversation, source: str) -> Conversation:
    """Messages as this template knows them."""
    if "tool_calls" not in source and any("tool_calls" in message for message in conversation.messages):
        raise BadRowError(
            conversation.column,
            "has tool calls, which the model's chat template does not write; use a model whose template does",
        )
    if "developer" in source:
        return conversation
    messages = [
        {**message, "role": "system"} if message["role"] == "developer" else message
        for message in conversation.messages
    ]
    return Conversation(messages, conversation.tools, conversation.trained, conversation.column)


def _refused(error: Exception) -> TemplateFailure:
    return TemplateFailure(
        f"the model's chat template refuses the conversation ({error}); change the conversation, or use a "
        "model whose template takes it"
    )


def _not_found(place: int) -> TemplateFailure:
    return TemplateFailure(
        f"the turn of the assistant at message {place} cannot be told from what the model's chat template "
        "writes around it; use a template with {% generation %}, or make each turn a row of its own"
    )


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
