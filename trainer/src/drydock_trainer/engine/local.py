"""Engine `local`: one attempt of one job, from downloaded files to checkpoints in a folder."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from transformers import PrinterCallback, TrainerCallback

from drydock_trainer import doctor
from drydock_trainer.engine import checkpoint, model
from drydock_trainer.engine.batches import Schedule
from drydock_trainer.engine.channel import Channel
from drydock_trainer.engine.plan import EnginePlan, make_plan
from drydock_trainer.engine.task import Task
from drydock_trainer.engine.trainer import LoraTrainer, is_finite
from drydock_trainer.errors import JobError
from drydock_trainer.preparation import (
    Example,
    Options,
    PreparationError,
    Prepared,
    Source,
    prepare,
    read_rows,
)


def prepare_data(task: Task, tokenizer: Any) -> Prepared:
    """All datasets of the task as sequences of tokens."""
    options = Options(task.config.max_sequence_length, task.config.packing, task.system_prompt)
    sources = [Source(data.role, data.name, read_rows(data.path, data.format)) for data in task.datasets]
    try:
        prepared = prepare(sources, tokenizer, options)
    except PreparationError as error:
        raise JobError("bad_data", str(error)) from error
    if not prepared.training:
        raise JobError(
            "bad_data",
            "No example is left to train on: in every row the tokens that carry loss are missing or cut off. "
            "Raise config.max_sequence_length, or add rows with assistant messages.",
        )
    return prepared


class Reporter(TrainerCallback):  # type: ignore[misc]
    """Turns what the trainer does into records, and saves checkpoints when they are due."""

    def __init__(self, run: "Run", trainer: LoraTrainer) -> None:
        self._run = run
        self._trainer = trainer
        self._last = time.monotonic()

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any
    ) -> None:
        """Report one optimizer step; one whose numbers are not finite ends the job."""
        if logs is None or "loss" not in logs:
            return
        step, loss, norm = int(state.global_step), logs["loss"], logs["grad_norm"]
        if not is_finite(loss, norm):
            raise JobError(
                "nan_loss",
                f"The loss or its gradient is not finite at step {step}; the last checkpoint is kept. "
                "Lower config.learning_rate, and look for damaged rows in the data.",
            )
        now = time.monotonic()
        tokens = self._run.tokens_of_step(step)
        seconds, self._last = max(now - self._last, 1e-9), now
        self._run.step_done(step, loss, tokens, seconds, norm, logs["learning_rate"])

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Logging comes after this hook and before `on_save`, so a checkpoint holds its own step's totals."""
        if self._run.is_due(int(state.global_step)):
            control.should_save = True


class SavingTrainer(LoraTrainer):
    """Saves through the run instead of TRL's own layout."""

    run: "Run"

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        self.run.save(self)

    def on_less_memory(self) -> None:
        super().on_less_memory()
        self.run.log_plan(self.plan)


class Run:
    """One attempt: what is known of the data, where the job stands, and where reports go."""

    def __init__(
        self, task: Task, channel: Channel, prepared: Prepared, totals: checkpoint.RunningTotals
    ) -> None:
        config = task.config
        self._task = task
        self._channel = channel
        self._training: Sequence[Example] = prepared.training
        self._evaluation: Sequence[Example] = prepared.evaluation
        self._report = prepared.report
        self.totals = totals
        self.schedule = Schedule(
            len(self._training), config.effective_batch_size, config.epochs, config.seed, config.steps
        )
        self._interval = config.checkpoint_interval or self.schedule.steps_per_epoch

    @property
    def total_tokens(self) -> int:
        """Tokens of the whole job."""
        per_epoch = sum(len(example.input_ids) for example in self._training)
        return round(per_epoch * self.schedule.epoch_at(self.schedule.total_steps))

    @property
    def longest(self) -> int:
        """Tokens of the longest example."""
        return max(len(example.input_ids) for example in (*self._training, *self._evaluation))

    @property
    def training(self) -> Sequence[Example]:
        """The examples to train on."""
        return self._training

    def tokens_of_step(self, step: int) -> int:
        """Tokens that the optimizer step with this number saw."""
        return sum(len(self._training[index].input_ids) for index in self.schedule.indices(step - 1))

    def is_due(self, step: int) -> bool:
        """Whether a checkpoint is saved after this step."""
        return step % self._interval == 0 or step == self.schedule.total_steps

    def start(self, plan: EnginePlan, step: int) -> None:
        """Report that training starts, with everything that was chosen and counted."""
        counts = self._report.training
        self._channel.record(
            "training_start",
            step=step,
            total_steps=self.schedule.total_steps,
            num_examples=counts.examples,
            num_tokens=counts.num_tokens,
            truncated_examples=counts.truncated_examples,
            skipped_examples=counts.skipped_examples,
            data=self._report.to_dict()["sources"],
            engine={"name": "local", "sequences": len(self._training), **plan.report()},
            libraries=doctor.libraries(),
        )

    def log_plan(self, plan: EnginePlan) -> None:
        """Report a plan that changed on the way."""
        self._channel.record(
            "log",
            level="warning",
            message=f"The GPU ran out of memory; micro-batches now hold {plan.micro_batch_size} examples.",
            data=plan.report(),
        )

    def step_done(
        self, step: int, loss: float, tokens: int, seconds: float, norm: float, rate: float
    ) -> None:
        """Count and report one optimizer step."""
        self.totals.add(loss, tokens)
        self._channel.record(
            "step_complete",
            step=step,
            epoch=self.schedule.epoch_at(step),
            num_tokens_processed=self.totals.tokens,
            metrics={
                "train/loss": loss,
                "train/learning_rate": rate,
                "train/grad_norm": norm,
                "train/tokens_per_second": tokens / seconds,
            },
        )

    def save(self, trainer: LoraTrainer) -> None:
        """Evaluate, save and hand over a checkpoint."""
        step = int(trainer.state.global_step)
        if self._evaluation:
            loss = trainer.mean_loss(self._evaluation)
            if is_finite(loss):
                self._channel.record("eval_complete", step=step, metrics={"eval/loss": loss})
        folder = Path(self._task.output_folder) / f"step-{step}"
        checkpoint.save(trainer, self._task.model_reference, folder, self.totals)
        last = self.totals.loss_last
        self._channel.checkpoint(step, folder, {} if last is None else {"train/loss": last})

    def end(self) -> None:
        """Report the summary."""
        step = self.schedule.total_steps
        self._channel.end(
            step=step,
            checkpoint_step=step,
            metrics={
                **self.totals.metrics(),
                "train/num_examples": self._report.training.examples,
                "train/epochs_completed": self.schedule.epoch_at(step),
                **model.peak_memory(),
            },
        )


def train(task: Task, channel: Channel, **overrides: Any) -> EnginePlan:
    """Train one attempt; `overrides` replace parts of the plan."""
    config = task.config
    source = model.find_base(task.model_reference, task.model_folder)
    tokenizer = model.load_tokenizer(task.model_reference, source)
    base_config = model.load_config(task.model_reference, source)
    prepared = prepare_data(task, tokenizer)
    folder, totals = None, checkpoint.RunningTotals()
    if task.checkpoint_folder is not None and task.checkpoint_step is not None:
        folder, totals = checkpoint.restore(task.checkpoint_folder, task.checkpoint_step)
    run = Run(task, channel, prepared, totals)
    model.check_fits(task.model_reference, base_config, tokenizer, prepared.examples)
    plan = make_plan(
        model.shape_of(base_config),
        model.find_hardware(),
        batch_size=config.batch_size,
        effective=config.effective_batch_size,
        longest=run.longest,
        packing=config.packing,
        total_steps=run.schedule.total_steps,
        total_tokens=run.total_tokens,
    )
    plan = replace(plan, **overrides)
    base = model.load_weights(task.model_reference, source, plan.attention, plan.dtype)
    os.makedirs(task.output_folder, exist_ok=True)
    trainer = SavingTrainer(
        model=base,
        tokenizer=tokenizer,
        config=config,
        plan=plan,
        schedule=run.schedule,
        examples=run.training,
        folder=task.output_folder,
    )
    trainer.run = run
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Reporter(run, trainer))
    run.start(plan, task.checkpoint_step or 0)
    if (task.checkpoint_step or 0) < run.schedule.total_steps:
        trainer.train(resume_from_checkpoint=folder)
    run.end()
    return trainer.plan
