"""What the worker asks of its engine process: local files only, no addresses and no keys."""

from dataclasses import asdict, dataclass
from typing import Any

from drydock_trainer.protocol.jobs import Config, Format, Role


@dataclass(frozen=True)
class DatasetFile:
    """A downloaded dataset."""

    role: Role
    name: str
    format: Format
    path: str


@dataclass(frozen=True)
class Task:
    """One attempt of one job."""

    model_reference: str
    model_folder: str | None
    system_prompt: str | None
    config: Config
    datasets: tuple[DatasetFile, ...]
    checkpoint_step: int | None
    checkpoint_folder: str | None
    output_folder: str

    def to_json(self) -> dict[str, Any]:
        """The task as one line of the pipe."""
        return asdict(self)

    @staticmethod
    def from_json(raw: dict[str, Any]) -> "Task":
        """The task from one line of the pipe."""
        datasets = tuple(DatasetFile(**item) for item in raw["datasets"])
        return Task(**{**raw, "config": Config(**raw["config"]), "datasets": datasets})
