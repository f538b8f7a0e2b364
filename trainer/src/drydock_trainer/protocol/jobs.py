"""What the server hands out with a claim, as types."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from drydock_trainer.errors import JobError

Role = Literal["train", "eval", "trajectories"]
Format = Literal["jsonl", "csv", "parquet"]


@dataclass(frozen=True)
class Part:
    """A piece of a file behind a presigned address."""

    size_bytes: int
    url: str


@dataclass(frozen=True)
class RemoteFile:
    """A file to download: its parts, concatenated, have this size and digest."""

    path: str
    size_bytes: int
    sha256: str
    parts: tuple[Part, ...]

    @staticmethod
    def parse(raw: dict[str, Any]) -> "RemoteFile":
        path = PurePosixPath(raw["path"])
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise JobError("error", f'The server named a file outside its folder: "{raw["path"]}".')
        size = int(raw["size_bytes"])
        parts = raw["parts"] if "parts" in raw else [{"size_bytes": size, "url": raw["url"]}]
        return RemoteFile(
            str(path),
            size,
            raw["sha256"],
            tuple(Part(int(part["size_bytes"]), part["url"]) for part in parts),
        )


@dataclass(frozen=True)
class Model:
    """The base model: files of the registry, or any other text as `reference`."""

    reference: str
    files: tuple[RemoteFile, ...] | None


@dataclass(frozen=True)
class Config:
    """The job's settings; the server has filled in every default."""

    epochs: int
    batch_size: int
    gradient_accumulation_steps: int
    learning_rate: float
    max_sequence_length: int
    lora_rank: int
    lora_alpha: float
    checkpoint_interval: int | None
    steps: int | None
    seed: int
    packing: bool

    @property
    def effective_batch_size(self) -> int:
        """Examples (or packed sequences) of one optimizer step."""
        return self.batch_size * self.gradient_accumulation_steps

    @staticmethod
    def parse(raw: dict[str, Any]) -> "Config":
        """Read the settings; one that this trainer does not know is refused, never ignored."""
        known = set(Config.__dataclass_fields__)
        for name, value in raw.items():
            if name not in known and value is not None:
                raise JobError(
                    "refused",
                    f'The engine "local" has no setting "{name}". Remove it, or update the trainer.',
                    f"config.{name}",
                )
        return Config(**{name: raw.get(name) for name in known})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Dataset:
    """One dataset version in one role."""

    role: Role
    name: str
    format: Format
    file: RemoteFile


@dataclass(frozen=True)
class Checkpoint:
    """The last complete checkpoint of an earlier attempt."""

    step: int
    files: tuple[RemoteFile, ...]


@dataclass(frozen=True)
class Job:
    """A claimed job."""

    id: str
    attempt: int
    engine: str
    model: Model
    system_prompt: str | None
    config: dict[str, Any]
    datasets: tuple[Dataset, ...]
    checkpoint: Checkpoint | None

    @staticmethod
    def parse(raw: dict[str, Any]) -> "Job":
        """Read the claim's answer; `config` is read later, when what is wrong with it can be reported."""
        model = raw["model"]
        files = model.get("files")
        checkpoint = raw.get("checkpoint")
        return Job(
            id=raw["id"],
            attempt=int(raw["attempt"]),
            engine=raw["engine"],
            model=Model(model["reference"], None if files is None else _files(files)),
            system_prompt=(raw.get("capability") or {}).get("system_prompt"),
            config=raw["config"],
            datasets=tuple(_dataset(item) for item in raw["datasets"]),
            checkpoint=checkpoint and Checkpoint(int(checkpoint["step"]), _files(checkpoint["files"])),
        )


def linked_files(raw: dict[str, Any]) -> list[RemoteFile]:
    """All files of a job, with the addresses that an answer holds."""
    checkpoint = raw.get("checkpoint") or {"files": []}
    linked = [
        *(raw["model"].get("files") or []),
        *(data["file"] for data in raw["datasets"]),
        *checkpoint["files"],
    ]
    return [RemoteFile.parse(item) for item in linked]


def _files(raw: list[dict[str, Any]]) -> tuple[RemoteFile, ...]:
    return tuple(RemoteFile.parse(item) for item in raw)


def _dataset(raw: dict[str, Any]) -> Dataset:
    return Dataset(
        role=raw["role"],
        name=raw["name"],
        format=raw["format"],
        file=RemoteFile.parse(raw["file"]),
    )
