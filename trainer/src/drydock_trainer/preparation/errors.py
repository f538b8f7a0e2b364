"""Errors of preparation: each says which row and column is wrong, and what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass

NAMED_PROBLEMS = 10


class PreparationError(Exception):
    """The data cannot be prepared."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in one row; `column` is a path such as `messages[2].weight`."""

    source: str
    row: int
    column: str
    message: str

    def __str__(self) -> str:
        return f'{self.source}, row {self.row}, column "{self.column}": {self.message}'


class BadDataError(PreparationError):
    """Rows that cannot be trained on: the first ten by name, and how many there are."""

    def __init__(self, problems: Sequence[Problem], count: int | None = None) -> None:
        self.problems = tuple(problems[:NAMED_PROBLEMS])
        self.count = len(problems) if count is None else count
        rows = "1 row is bad" if self.count == 1 else f"{self.count} rows are bad"
        first = "" if self.count <= len(self.problems) else f"; the first {len(self.problems)}"
        lines = "".join(f"\n- {problem}" for problem in self.problems)
        super().__init__(f"{rows}{first}. Correct or remove them and start again:{lines}")


class TemplateMissingError(BadDataError):
    """A row holds messages, and the tokenizer has no chat template to write them with."""

    def __init__(self, problem: Problem) -> None:
        super().__init__([problem])


class BadRowError(Exception):
    """Raised while one row is read; becomes a `Problem` once the row's number is known."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message
