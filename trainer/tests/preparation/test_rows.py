"""Files, and rows that are bad."""

import json
from pathlib import Path
from typing import Any

import pytest

from drydock_trainer.preparation import BadDataError, Options, PreparationError, Source, prepare, read_rows

from .cases import assistant, call, chat, user
from .templates import CHATML
from .words import make_tokenizer, show

OPTIONS = Options(max_sequence_length=1000)
CONVERSATION = chat(user("one"), assistant(None, tool_calls=[call("look", {"at": "x"})]), assistant("two"))


def prepared(rows: Any, role: Any = "train", template: str | None = CHATML) -> list[str]:
    tokenizer = make_tokenizer(template, ['user assistant one two look at x name arguments {"}:,', "\n"])
    result = prepare([Source(role, "data", rows)], tokenizer, OPTIONS)
    return [show(tokenizer, example) for example in result.examples]


def test_jsonl_rows_are_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "a\xc3\xa9"}\r\n\n{"text": "b\\u2028"}')
    assert list(read_rows(path, "jsonl")) == [(0, {"text": "aé"}), (1, {"text": "b\u2028"})]


def test_jsonl_lines_that_are_bad_are_named_together(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"text": "one"}\n{"text": \n[1]\n{"text": "\xff"}\n' + b"[" * 100_000 + b"\n")
    with pytest.raises(BadDataError) as caught:
        prepared(read_rows(path, "jsonl"))
    assert [problem.row for problem in caught.value.problems] == [1, 2, 3, 4]
    assert "line 2 is not JSON" in str(caught.value)
    assert "line 3 must be a JSON object" in str(caught.value)


def test_csv_cells_are_texts_and_messages_are_json(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.csv"
    path.write_text('prompt,completion\n"a\nb, ""c""",007\nNA,\n')
    rows = [(0, {"prompt": 'a\nb, "c"', "completion": "007"}), (1, {"prompt": "NA", "completion": ""})]
    assert list(read_rows(path, "csv")) == rows
    text = json.dumps(CONVERSATION["messages"]).replace('"', '""')
    path.write_text(f'messages,tools\n"{text}",\n')
    assert prepared(read_rows(path, "csv")) == prepared([(0, CONVERSATION)])


def test_csv_row_may_be_larger_than_a_megabyte(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.csv"
    path.write_text(f"text\n{'x' * 3_000_000}\n")
    ((_, row),) = read_rows(path, "csv")
    assert len(row["text"]) == 3_000_000


def test_parquet_nulls_are_fields_that_a_row_does_not_have(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    rows = [CONVERSATION, {"messages": None, "text": "one two"}]
    parquet.write_table(pa.Table.from_pylist([{"text": None, **row} for row in rows]), path)
    assert list(read_rows(path, "parquet"))[1] == (1, {"text": "one two"})
    assert prepared(read_rows(path, "parquet")) == prepared(enumerate(rows))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_file_of_another_format_is_refused(tmp_path: Path, format: Any) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows"
    path.write_bytes(b"a,b\n1\n")
    with pytest.raises(PreparationError, match="The file rows is not"):
        list(read_rows(path, format))


BAD = [
    ({"question": "a"}, "*", "its columns are: question"),
    ({"messages": []}, "messages", "at least one message"),
    ({"messages": "hello"}, "messages", "is not JSON"),
    ({"messages": [1]}, "messages[0]", "must be an object"),
    (chat({"role": "robot", "content": "a"}), "messages[0].role", "'robot'"),
    (chat(user(None)), "messages[0].content", "must be a text"),
    (chat(user("a"), assistant(None)), "messages[1].content", "no tool calls"),
    (chat(user([{"type": "image_url", "image_url": "u"}])), "messages[0].content[0]", "only texts"),
    (chat(user("a"), assistant("b", weight=0.5)), "messages[1].weight", "must be 0 or 1, and is 0.5"),
    (chat(user("a"), assistant("b", weight=True)), "messages[1].weight", "must be 0 or 1"),
    (chat(user("a"), assistant("b", weight="1")), "messages[1].weight", "must be 0 or 1"),
    (
        chat(user("a"), assistant(None, tool_calls=[{"id": "c"}])),
        "messages[1].tool_calls[0].function",
        "name",
    ),
    (chat({**user("a"), "tool_calls": [call("f", {})]}), "messages[0].tool_calls", "the role is user"),
    (
        chat(assistant("", tool_calls=[call("f", "[1]")])),
        "messages[0].tool_calls[0].function.arguments",
        "must be a JSON object",
    ),
    (chat(user("a"), tools={"name": "f"}), "tools", "must be a list"),
    (chat(user("a"), tools=["f"]), "tools[0]", "must be an object"),
    ({"prompt": "a", "completion": [assistant("b")]}, "completion", "lists of messages"),
    ({"text": 7}, "text", "must be a text, and is 7"),
    ({"text": "half \ud83d of a character"}, "text", "not Unicode"),
    (chat(user("\udc00"), assistant("b")), "messages", "not Unicode"),
]


@pytest.mark.parametrize(("row", "column", "message"), BAD, ids=[column for _, column, _ in BAD])
def test_bad_row_is_named_with_its_column(row: dict[str, Any], column: str, message: str) -> None:
    with pytest.raises(BadDataError) as caught:
        prepared([(0, {"text": "one"}), (41, row)])
    (problem,) = caught.value.problems
    assert (problem.source, problem.row, problem.column) == ("data", 41, column)
    assert message in problem.message


BAD_SESSIONS = [
    ({"text": "a"}, "*", "must be a trajectory"),
    ({"trajectory": "["}, "trajectory", "is not JSON"),
    ({"trajectory": "[]"}, "trajectory", "must be an object"),
    ({"steps": [{"source": "robot"}]}, "steps[0].source", "'robot'"),
    (
        {"steps": [{"source": "agent", "message": [{"type": "image", "source": {"path": "p"}}]}]},
        "steps[0].message[0]",
        "only texts",
    ),
    ({"steps": [{"source": "agent", "tool_calls": [{}]}]}, "steps[0].tool_calls[0]", "function_name"),
]


@pytest.mark.parametrize(
    ("row", "column", "message"), BAD_SESSIONS, ids=[column for _, column, _ in BAD_SESSIONS]
)
def test_bad_session_is_named_with_its_column(row: dict[str, Any], column: str, message: str) -> None:
    with pytest.raises(BadDataError) as caught:
        prepared([(0, row)], role="trajectories")
    assert caught.value.problems[0].column == column
    assert message in caught.value.problems[0].message


def test_first_ten_bad_rows_are_named_and_all_are_counted() -> None:
    rows = [{"text": row if row % 2 else "one"} for row in range(50)]
    with pytest.raises(BadDataError) as caught:
        prepared(enumerate(rows))
    assert caught.value.count == 25
    assert [problem.row for problem in caught.value.problems] == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
    assert str(caught.value).startswith("25 rows are bad; the first 10. Correct or remove them")
    assert 'data, row 1, column "text": must be a text, and is 1' in str(caught.value)
