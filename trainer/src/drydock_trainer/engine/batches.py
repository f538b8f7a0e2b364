"""Which examples each optimizer step sees, and the tensors made of them."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from drydock_trainer.preparation import Example

IGNORED = -100


@dataclass(frozen=True)
class Schedule:
    """The order of the data, which follows from seed and step alone: a resumed job sees the same examples."""

    examples: int
    batch: int
    epochs: int
    seed: int
    step_limit: int | None

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil(self.examples / self.batch)

    @property
    def total_steps(self) -> int:
        steps = self.steps_per_epoch * self.epochs
        return steps if self.step_limit is None else min(steps, self.step_limit)

    def epoch_at(self, step: int) -> float:
        """Epochs completed after `step` optimizer steps."""
        return step / self.steps_per_epoch

    def indices(self, index: int) -> list[int]:
        """The examples of the optimizer step with this index, from 0; the last of an epoch may hold fewer."""
        epoch, position = divmod(index, self.steps_per_epoch)
        return self._order(epoch)[position * self.batch : (position + 1) * self.batch]

    def _order(self, epoch: int) -> list[int]:
        return _order(self.examples, self.seed, epoch)


@lru_cache(maxsize=2)
def _order(examples: int, seed: int, epoch: int) -> list[int]:
    order = list(range(examples))
    random.Random(f"{seed}/{epoch}").shuffle(order)
    return order


def micro_batches(examples: Sequence[Example], size: int) -> list[list[Example]]:
    """Split one optimizer step; neighbours in length share a micro-batch, which saves padding."""
    ordered = sorted(examples, key=lambda example: len(example.input_ids), reverse=True)
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def loss_tokens(examples: Sequence[Example]) -> int:
    """Tokens that carry loss; the first of a sequence has no prediction."""
    return sum(len(example.loss_mask) - 1 - example.loss_mask.count(0, 1) for example in examples)


def collate(examples: Sequence[Example], pad_token: int, multiple: int) -> dict[str, Any]:
    """Right-padded tensors without an attention mask: causal attention never looks right, and the model
    separates packed examples by positions that restart."""
    import numpy
    import torch

    width = max(len(example.input_ids) for example in examples)
    width = math.ceil(width / multiple) * multiple
    input_ids = torch.full((len(examples), width), pad_token, dtype=torch.long)
    labels = torch.full((len(examples), width), IGNORED, dtype=torch.long)
    positions = torch.arange(width).repeat(len(examples), 1)
    for row, example in enumerate(examples):
        length = len(example.input_ids)
        ids = torch.from_numpy(numpy.array(example.input_ids))
        mask = torch.from_numpy(numpy.frombuffer(example.loss_mask, numpy.uint8) != 0)
        input_ids[row, :length] = ids
        labels[row, :length] = ids.masked_fill(~mask, IGNORED)
        if example.position_ids is not None:
            positions[row, :length] = torch.from_numpy(numpy.array(example.position_ids))
            positions[row, length:] = torch.arange(width - length)
    return {"input_ids": input_ids, "labels": labels, "position_ids": positions}
