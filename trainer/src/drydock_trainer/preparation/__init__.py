"""Datasets as sequences of tokens with exact loss masks. Needs a fast tokenizer, and no torch."""

from .errors import BadDataError, PreparationError, Problem, TemplateMissingError
from .examples import Example, Options, Prepared, Source
from .prepare import prepare
from .report import Counts, LongRow, Report, SourceReport
from .rows import read_rows

__all__ = [
    "BadDataError",
    "Counts",
    "Example",
    "LongRow",
    "Options",
    "PreparationError",
    "Prepared",
    "Problem",
    "Report",
    "Source",
    "SourceReport",
    "TemplateMissingError",
    "prepare",
    "read_rows",
]
