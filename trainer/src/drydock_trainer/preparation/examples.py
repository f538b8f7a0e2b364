"""What goes into preparation and what comes out of it."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from .report import Report

Role = Literal["train", "eval", "trajectories"]
Row = dict[str, Any]

IGNORED_LABEL = -100


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset, read once from the front."""

    role: Role
    name: str
    rows: Iterable[tuple[int, Row]]


@dataclass(frozen=True, slots=True)
class Options:
    """`system_prompt` is put before every conversation that has no system message of its own."""

    max_sequence_length: int
    packing: bool = False
    system_prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A sequence of tokens; a packed one names the row and the source of its first example.

    A token takes 5 bytes with its mask, where lists of a million rows would take 44.
    """

    input_ids: "array[int]"
    loss_mask: bytes
    position_ids: "array[int] | None"
    row: int
    source: str
    role: Role

    @property
    def labels(self) -> list[int]:
        """The tokens that carry loss, and -100 for all others."""
        pairs = zip(self.input_ids, self.loss_mask, strict=True)
        return [token if carries else IGNORED_LABEL for token, carries in pairs]


@dataclass(frozen=True, slots=True)
class Prepared:
    """All examples of all sources, in the order of the sources; packed ones by decreasing length."""

    examples: list[Example]
    report: Report

    @property
    def training(self) -> list[Example]:
        """The examples of the roles `train` and `trajectories`."""
        return [example for example in self.examples if example.role != "eval"]

    @property
    def evaluation(self) -> list[Example]:
        """The examples of the role `eval`."""
        return [example for example in self.examples if example.role == "eval"]
