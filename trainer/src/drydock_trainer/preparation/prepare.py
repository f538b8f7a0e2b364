"""From rows to examples."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .chat import ChatTemplate, Span
from .conversations import Conversation, PlainText, to_sample
from .errors import NAMED_PROBLEMS, BadDataError, BadRowError, PreparationError, Problem, TemplateMissingError
from .examples import Example, Options, Prepared, Role, Row, Source
from .packing import pack
from .report import Counts, LongRow, Report, SourceReport
from .rows import UnreadableRow
from .trajectories import to_eras

# Texts are encoded together, which is faster; the offsets of a million characters take some 100 MB.
BATCH_TEXTS = 1000
BATCH_CHARACTERS = 1_000_000

NO_MESSAGES = "the trajectory has no messages"
NO_TURN = "the conversation has no turn of the assistant"
NO_WEIGHT = "every turn of the assistant has weight 0 or is context"
NO_LOSS = "no token that carries loss follows another token"
CUT = "all tokens that carry loss were cut at max_sequence_length"


@dataclass(frozen=True, slots=True)
class _Draft:
    """A text that is not encoded yet, with the spans that carry loss."""

    row: int
    text: str
    spans: list[Span]
    is_plain: bool


def prepare(sources: Sequence[Source], tokenizer: Any, options: Options) -> Prepared:
    """Examples of all sources. Raises `BadDataError` once all rows were read, if one of them is bad."""
    if not tokenizer.is_fast:
        raise PreparationError(
            "The model's tokenizer is not a fast one, so tokens cannot be found in the text. Publish the "
            "model with a tokenizer.json."
        )
    preparation = _Preparation(tokenizer, options)
    training: list[Example] = []
    evaluation: list[Example] = []
    reports = []
    for source in sources:
        counts = Counts()
        (evaluation if source.role == "eval" else training).extend(preparation.read(source, counts))
        reports.append(SourceReport(source.name, source.role, counts))
    preparation.check()
    if options.packing:
        training = pack(training, options.max_sequence_length)
        evaluation = pack(evaluation, options.max_sequence_length)
    examples = training + evaluation
    return Prepared(examples, Report(reports, len(examples)))


class _Preparation:
    def __init__(self, tokenizer: Any, options: Options) -> None:
        self._tokenizer = tokenizer
        self._options = options
        self._template = ChatTemplate(tokenizer)
        self._adds_bos = tokenizer.bos_token_id is not None and (
            tokenizer.encode("")[:1] == [tokenizer.bos_token_id]
        )
        self._problems: list[Problem] = []
        self._bad_rows = 0

    def check(self) -> None:
        """Raises when a row was bad."""
        if self._bad_rows > 0:
            raise BadDataError(self._problems, self._bad_rows)

    def read(self, source: Source, counts: Counts) -> Iterator[Example]:
        """The examples of a source."""
        batch: list[_Draft] = []
        characters = 0
        for row, values in source.rows:
            counts.rows += 1
            for draft in self._draft(source, row, values, counts):
                batch.append(draft)
                characters += len(draft.text)
            if len(batch) >= BATCH_TEXTS or characters >= BATCH_CHARACTERS:
                yield from self._encode(source, batch, counts)
                batch, characters = [], 0
        yield from self._encode(source, batch, counts)

    def _draft(self, source: Source, row: int, values: Row, counts: Counts) -> list[_Draft]:
        try:
            samples = _to_samples(source.role, values)
            if not samples:
                counts.skip(NO_MESSAGES)
            drafts = [self._write(source, row, sample, counts) for sample in samples]
            return [draft for draft in drafts if draft]
        except BadRowError as error:
            self._bad_rows += 1
            if len(self._problems) < NAMED_PROBLEMS:
                self._problems.append(Problem(source.name, row, error.column, error.message))
            return []

    def _write(
        self, source: Source, row: int, sample: Conversation | PlainText, counts: Counts
    ) -> _Draft | None:
        if isinstance(sample, PlainText):
            _check_text(sample.text, "text")
            return _Draft(row, sample.text, [(sample.loss_start, len(sample.text))], is_plain=True)
        if self._template.is_missing:
            message = (
                "holds messages, and the model's tokenizer has no chat template. Publish the model with a "
                "chat_template.jinja, or use a dataset with `prompt` and `completion` or with `text`"
            )
            raise TemplateMissingError(Problem(source.name, row, sample.column, message))
        if not sample.trained:
            counts.skip(NO_WEIGHT if any(one["role"] == "assistant" for one in sample.messages) else NO_TURN)
            return None
        text, spans = self._template.write(sample.with_system_prompt(self._options.system_prompt))
        _check_text(text, sample.column)
        return _Draft(row, text, spans, is_plain=False)

    def _encode(self, source: Source, batch: list[_Draft], counts: Counts) -> Iterator[Example]:
        # After a bad row no examples are made; the other rows are only checked.
        if not batch or self._bad_rows > 0:
            return
        encoded = self._tokenizer(
            [draft.text for draft in batch],
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        for draft, ids, offsets in zip(batch, encoded["input_ids"], encoded["offset_mapping"], strict=True):
            tokens = array("i", ids)
            mask = _to_mask(offsets, draft.spans)
            if draft.is_plain:
                self._complete(tokens, mask)
            example = self._finish(source, draft.row, tokens, mask, counts)
            if example:
                yield example

    def _complete(self, tokens: "array[int]", mask: bytearray) -> None:
        """Adds what a template would write: a token to begin with, if the model expects it, and the end."""
        bos, eos = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        if self._adds_bos and tokens[:1] != array("i", [bos]):
            tokens.insert(0, bos)
            mask.insert(0, 0)
        if eos is not None and tokens[-1:] != array("i", [eos]):
            tokens.append(eos)
            mask.append(1)

    def _finish(
        self, source: Source, row: int, tokens: "array[int]", mask: bytearray, counts: Counts
    ) -> Example | None:
        length = len(tokens)
        counts.add_length(LongRow(length, source.name, row))
        # Nothing comes before the first token that could predict it.
        mask[:1] = bytes(min(length, 1))
        if not any(mask):
            counts.skip(NO_LOSS)
            return None
        limit = self._options.max_sequence_length
        del tokens[limit:], mask[limit:]
        if not any(mask):
            counts.skip(CUT)
            return None
        counts.examples += 1
        counts.num_tokens += len(tokens)
        counts.num_loss_tokens += sum(mask)
        if length > limit:
            counts.truncated_examples += 1
            counts.truncated_tokens += length - limit
        return Example(tokens, bytes(mask), None, row, source.name, source.role)


def _to_samples(role: Role, row: Row) -> Sequence[Conversation | PlainText]:
    if isinstance(row, UnreadableRow):
        raise BadRowError("*", row.message)
    # An evaluation takes rows of either kind; rows with a document have its column.
    is_document = role == "eval" and any(row.get(column) is not None for column in ("trajectory", "steps"))
    return to_eras(row) if role == "trajectories" or is_document else [to_sample(row)]


def _to_mask(offsets: Sequence[Span], spans: Sequence[Span]) -> bytearray:
    """A token carries loss if at least one of its characters lies in a span: one on the edge does too."""
    mask = bytearray(len(offsets))
    for start, end in spans:
        first = bisect_right(offsets, start, key=lambda offset: offset[1])
        last = bisect_left(offsets, end, key=lambda offset: offset[0])
        mask[first:last] = b"\x01" * (last - first)
    return mask


def _check_text(text: str, column: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadRowError(
            column, f"is not Unicode text ({error.reason}); remove the broken characters"
        ) from error
