"""The layout of a checkpoint: what can be served at the top, what only a resume needs below `state/`."""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from drydock_trainer.errors import JobError, disk_full_named

STATE = "state"
PROGRESS_FILE = "progress.json"


@dataclass
class RunningTotals:
    """What the final report sums up over all attempts; travels with each checkpoint."""

    tokens: int = 0
    losses: int = 0
    loss_sum: float = 0.0
    loss_best: float | None = None
    loss_last: float | None = None

    def add(self, loss: float, tokens: int) -> None:
        """Count one optimizer step."""
        self.tokens += tokens
        self.losses += 1
        self.loss_sum += loss
        self.loss_last = loss
        self.loss_best = loss if self.loss_best is None else min(self.loss_best, loss)

    def metrics(self) -> dict[str, float]:
        """The summary, without what no step gave."""
        if self.loss_last is None or self.loss_best is None:
            return {}
        return {
            "train/loss_last": self.loss_last,
            "train/loss_mean": self.loss_sum / self.losses,
            "train/loss_best": self.loss_best,
            "train/num_tokens_processed": self.tokens,
        }


def save(trainer: Any, reference: str, folder: Path, totals: RunningTotals) -> Path:
    """Write a checkpoint next to its place and move it there, so that a half-written one has another name."""
    writing = folder.with_name(folder.name + ".writing")
    shutil.rmtree(writing, ignore_errors=True)
    with disk_full_named(folder.parent, _size_of_trainable(trainer.model), "saving a checkpoint"):
        writing.mkdir(parents=True)
        adapter = trainer.model.peft_config["default"]
        adapter.base_model_name_or_path = reference
        # PEFT keeps the names in a set, whose order would differ from process to process.
        adapter.target_modules = sorted(adapter.target_modules)
        trainer.model.save_pretrained(writing, save_embedding_layers=False)
        trainer.processing_class.save_pretrained(writing)
        # PEFT writes a card without content; the server writes that of the published version.
        (writing / "README.md").unlink(missing_ok=True)
        trainer.save_state(writing / STATE)
        (writing / STATE / PROGRESS_FILE).write_text(json.dumps(asdict(totals)), encoding="utf-8")
        os.replace(writing, folder)
    return folder


def _size_of_trainable(model: Any) -> int:
    """Adapter plus the two moments of the optimizer."""
    return 3 * sum(int(p.numel() * p.element_size()) for p in model.parameters() if p.requires_grad)


def restore(folder: str, step: int) -> tuple[str, RunningTotals]:
    """Lay a downloaded checkpoint out as the trainer reads it, and return its folder and totals."""
    root = Path(folder)
    state = root / STATE
    if not (state / "trainer_state.json").is_file():
        raise JobError(
            "error",
            f"The checkpoint of step {step} holds no state to resume from. Start the job again without it.",
        )
    totals = RunningTotals(**json.loads((state / PROGRESS_FILE).read_text(encoding="utf-8")))
    for path in state.iterdir():
        os.replace(path, root / path.name)
    return str(root), totals
