"""What preparation counted: nothing is cut or left out without being counted here."""

import heapq
from dataclasses import asdict, dataclass, field
from typing import Any

NAMED_LONGEST = 5


@dataclass(frozen=True, slots=True, order=True)
class LongRow:
    """The number of tokens that a row's example had before it was cut."""

    tokens: int
    source: str
    row: int


@dataclass(slots=True)
class Counts:
    """Examples are counted before packing, tokens after truncation; a skipped example is in neither."""

    rows: int = 0
    examples: int = 0
    truncated_examples: int = 0
    truncated_tokens: int = 0
    skipped_examples: int = 0
    skip_reasons: dict[str, int] = field(default_factory=dict)
    num_tokens: int = 0
    num_loss_tokens: int = 0
    longest_rows: list[LongRow] = field(default_factory=list)

    def skip(self, reason: str, count: int = 1) -> None:
        """Counts an example of which no token carries loss."""
        self.skipped_examples += count
        self.skip_reasons[reason] = self.skip_reasons.get(reason, 0) + count

    def add_length(self, length: LongRow) -> None:
        """Keeps the longest ones; of equal ones the first."""
        if len(self.longest_rows) == NAMED_LONGEST and length.tokens <= self.longest_rows[-1].tokens:
            return
        self.longest_rows = _longest([*self.longest_rows, length])

    def add(self, other: "Counts") -> None:
        """Adds what was counted elsewhere."""
        self.rows += other.rows
        self.examples += other.examples
        self.truncated_examples += other.truncated_examples
        self.truncated_tokens += other.truncated_tokens
        for reason, count in other.skip_reasons.items():
            self.skip(reason, count)
        self.num_tokens += other.num_tokens
        self.num_loss_tokens += other.num_loss_tokens
        self.longest_rows = _longest([*self.longest_rows, *other.longest_rows])


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What was counted of one source."""

    name: str
    role: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class Report:
    """What was counted, per source and together; `sequences` is the number of examples that came out."""

    sources: list[SourceReport]
    sequences: int

    @property
    def total(self) -> Counts:
        """All sources."""
        return _sum(self.sources)

    @property
    def training(self) -> Counts:
        """The sources of the roles `train` and `trajectories`."""
        return _sum([source for source in self.sources if source.role != "eval"])

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return {
            "sources": [
                {"name": source.name, "role": source.role, **asdict(source.counts)} for source in self.sources
            ],
            "total": asdict(self.total),
            "sequences": self.sequences,
        }


def _sum(sources: list[SourceReport]) -> Counts:
    total = Counts()
    for source in sources:
        total.add(source.counts)
    return total


def _longest(rows: list[LongRow]) -> list[LongRow]:
    return heapq.nlargest(NAMED_LONGEST, rows, key=lambda row: row.tokens)
