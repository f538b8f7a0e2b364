"""Packing, and what the report counts."""

import json
import random
from array import array

from drydock_trainer.preparation import Example, Options, Source, prepare
from drydock_trainer.preparation.packing import pack

from .cases import assistant, chat, user
from .templates import MISTRAL
from .words import make_tokenizer


def example(row: int, length: int) -> Example:
    return Example(array("i", [row] * length), bytes([0] + [1] * (length - 1)), None, row, "data", "train")


def first_fit(lengths: list[int], limit: int) -> list[list[int]]:
    """The rule word by word, without a tree."""
    sequences: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        for sequence in sequences:
            if sum(lengths[other] for other in sequence) + lengths[row] <= limit:
                sequence.append(row)
                break
        else:
            sequences.append([row])
    return sequences


def test_pack_is_first_fit_decreasing() -> None:
    chance = random.Random(0)
    for count in [0, 1, 2, 3, 50, 200]:
        lengths = [chance.randint(1, 40) for _ in range(count)]
        packed = pack([example(row, length) for row, length in enumerate(lengths)], 40)
        assert [list(dict.fromkeys(one.input_ids)) for one in packed] == first_fit(lengths, 40)


def test_pack_keeps_every_token_and_begins_positions_anew() -> None:
    (packed,) = pack([example(0, 2), example(1, 3)], 5)
    assert list(packed.input_ids) == [1, 1, 1, 0, 0]
    assert list(packed.position_ids or []) == [0, 1, 2, 0, 1]
    assert list(packed.loss_mask) == [0, 1, 1, 0, 1]
    assert (packed.row, packed.source) == (1, "data")


def test_pack_places_many_examples() -> None:
    packed = pack([example(row, 1 + row % 7) for row in range(20_000)], 64)
    assert sum(len(one.input_ids) for one in packed) == sum(1 + row % 7 for row in range(20_000))
    assert len(packed) == -(-sum(1 + row % 7 for row in range(20_000)) // 64)


def test_prepare_never_packs_training_and_evaluation_together() -> None:
    tokenizer = make_tokenizer(None, ["a b c"])
    sources = [
        Source("train", "data", [(0, {"text": "a b"})]),
        Source("eval", "data", [(0, {"text": "c b"})]),
        Source("train", "more", [(0, {"text": "b a"})]),
    ]
    prepared = prepare(sources, tokenizer, Options(max_sequence_length=100, packing=True))
    assert [len(one.input_ids) for one in prepared.training] == [6]
    assert [len(one.input_ids) for one in prepared.evaluation] == [3]
    assert prepared.report.sequences == 2


def test_report_counts_what_was_cut_and_left_out() -> None:
    tokenizer = make_tokenizer(MISTRAL, ["q1 a1 b1 c1 d1 long " + "x " * 20])
    rows = [
        chat(user("q1"), assistant("a1")),
        chat(user("q1"), assistant("a1 b1 c1 d1")),
        chat(user("long " + "x " * 20), assistant("a1")),
        chat(user("q1")),
        chat(user("q1"), assistant("a1", weight=0)),
    ]
    sources = [Source("train", "data", list(enumerate(rows))), Source("eval", "held", [(0, rows[0])])]
    report = prepare(sources, tokenizer, Options(max_sequence_length=7)).report
    counts = report.sources[0].counts
    assert (counts.rows, counts.examples, counts.skipped_examples) == (5, 2, 3)
    assert (counts.truncated_examples, counts.truncated_tokens) == (1, 2)
    assert (counts.num_tokens, counts.num_loss_tokens) == (6 + 7, 2 + 3)
    assert sorted(counts.skip_reasons.values()) == [1, 1, 1]
    assert [(long.row, long.tokens) for long in counts.longest_rows] == [(2, 26), (1, 9), (0, 6)]
    assert (report.total.rows, report.training.rows) == (6, 5)
    written = json.loads(json.dumps(report.to_dict()))
    assert written["sources"][1]["name"] == "held"
    assert written["total"]["skip_reasons"] == counts.skip_reasons
