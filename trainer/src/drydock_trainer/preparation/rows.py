"""Rows of a dataset's file, one after the other."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from .errors import PreparationError
from .examples import Row

Format = Literal["jsonl", "csv", "parquet"]

# A row of CSV has to fit into one block of pyarrow.
CSV_BLOCK_BYTES = 64 * 1024 * 1024
PARQUET_BATCH_ROWS = 1000


class UnreadableRow(dict[str, Any]):
    """Stands for a row that is not JSON, so that the rows after it are read too."""

    def __init__(self, message: str) -> None:
        super().__init__()
        self.message = message


def read_rows(path: str | Path, format: Format) -> Iterator[tuple[int, Row]]:
    """Yields each row with its number, which begins at 0; blank lines of JSON lines are not rows."""
    path = Path(path)
    if format == "jsonl":
        rows = _read_jsonl(path)
    elif format == "csv":
        rows = _read_csv(path)
    elif format == "parquet":
        rows = _read_parquet(path)
    else:
        raise PreparationError(f'The format "{format}" of {path.name} is unknown; use jsonl, csv or parquet.')
    return enumerate(rows)


def _read_jsonl(path: Path) -> Iterator[Row]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield UnreadableRow(f"line {number} is not JSON ({error})")
                continue
            yield row if isinstance(row, dict) else UnreadableRow(f"line {number} must be a JSON object")


def _read_csv(path: Path) -> Iterator[Row]:
    """Every cell is text: guessed types would turn the answer `007` into a number."""
    import pyarrow as pa
    from pyarrow import csv

    files = {
        "read_options": csv.ReadOptions(block_size=CSV_BLOCK_BYTES),
        "parse_options": csv.ParseOptions(newlines_in_values=True),
    }
    try:
        with csv.open_csv(path, **files) as reader:
            names = reader.schema.names
        texts = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
        with csv.open_csv(path, **files, convert_options=texts) as reader:
            for batch in reader:
                yield from batch.to_pylist()
    except pa.ArrowInvalid as error:
        raise PreparationError(f"The file {path.name} is not CSV with a header: {error}.") from error


def _read_parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=PARQUET_BATCH_ROWS):
                for row in batch.to_pylist():
                    yield _without_nulls(row)
    except pa.ArrowInvalid as error:
        raise PreparationError(f"The file {path.name} is not Parquet: {error}.") from error


def _without_nulls(value: Any) -> Any:
    """Parquet gives a struct all fields of its column: a null there is a field that the row does not have."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
