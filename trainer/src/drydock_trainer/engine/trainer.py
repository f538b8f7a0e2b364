"""TRL's SFTTrainer, told to take one optimizer step per item of its dataset."""

import gc
import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
from trl.trainer.utils import add_fused_lm_head

from drydock_trainer.engine.batches import Schedule, collate, loss_tokens, micro_batches
from drydock_trainer.engine.plan import EnginePlan, micro_batch_sizes
from drydock_trainer.errors import JobError
from drydock_trainer.preparation import Example
from drydock_trainer.protocol.jobs import Config

log = logging.getLogger(__name__)


def make_arguments(config: Config, plan: EnginePlan, total_steps: int, folder: str) -> SFTConfig:
    """TRL's settings; what is not named here stays at TRL's default and has no effect on this trainer."""
    return SFTConfig(
        output_dir=folder,
        # One item of the dataset is one optimizer step, which is split into micro-batches here.
        per_device_train_batch_size=1,
        gradient_accumulation_steps=1,
        max_steps=total_steps,
        train_sampling_strategy="sequential",
        dataset_kwargs={"skip_prepare_dataset": True},
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        max_length=None,
        learning_rate=config.learning_rate,
        lr_scheduler_type=plan.scheduler,
        warmup_steps=plan.warmup_steps,
        max_grad_norm=plan.max_grad_norm,
        optim=plan.optimizer,
        weight_decay=0.0,
        bf16=plan.dtype == "bfloat16",
        use_cpu=plan.device == "cpu",
        gradient_checkpointing=plan.gradient_checkpointing,
        seed=config.seed,
        logging_steps=1,
        # A loss that is not a number must be seen, not replaced by an average.
        logging_nan_inf_filter=False,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )


class LoraTrainer(SFTTrainer):  # type: ignore[misc]
    """Trains a LoRA on every linear layer over examples that preparation made."""

    def __init__(
        self,
        *,
        model: Any,
        tokenizer: Any,
        config: Config,
        plan: EnginePlan,
        schedule: Schedule,
        examples: Sequence[Example],
        folder: str,
    ) -> None:
        self.plan = plan
        self.schedule = schedule
        self._examples = examples
        self._pad_token = int(tokenizer.pad_token_id)
        super().__init__(
            model=model,
            args=make_arguments(config, plan, schedule.total_steps, folder),
            train_dataset=Dataset.from_dict({"step": range(schedule.total_steps)}),
            data_collator=lambda items: items[0],
            processing_class=tokenizer,
            peft_config=LoraConfig(
                r=config.lora_rank,
                lora_alpha=config.lora_alpha,
                lora_dropout=0.0,
                target_modules="all-linear",
                task_type="CAUSAL_LM",
            ),
        )
        # TRL's own loss also computes entropy and accuracy and waits for the GPU to read them; the loss alone
        # is needed.
        add_fused_lm_head(self.model.get_base_model())
        if plan.compile:
            self._compile_layers()

    def _compile_layers(self) -> None:
        """Compile one decoder layer, whose code all others share; the whole model would take minutes."""
        names = set(self.model.get_base_model()._no_split_modules or ())
        for module in self.model.modules():
            if type(module).__name__ in names:
                module.compile()

    def training_step(
        self, model: Any, inputs: dict[str, Any], num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """One optimizer step; when memory runs out nothing was applied yet, so smaller pieces do it again."""
        examples = [self._examples[index] for index in self.schedule.indices(int(inputs["step"]))]
        while True:
            try:
                return self._accumulate(model, examples)
            except torch.OutOfMemoryError:
                model.zero_grad()
            # Outside of the handler the failed step's tensors are free.
            gc.collect()
            torch.cuda.empty_cache()
            self._need_less_memory()

    def _accumulate(self, model: Any, examples: list[Example]) -> torch.Tensor:
        count = max(loss_tokens(examples), 1)
        total = torch.zeros((), device=self.args.device)
        for micro in micro_batches(examples, self.plan.micro_batch_size):
            tensors = collate(micro, self._pad_token, self.plan.pad_to_multiple_of)
            total += super().training_step(model, tensors, count)
        return total

    def _need_less_memory(self) -> None:
        plan = self.plan
        smaller = [
            size
            for size in micro_batch_sizes(plan.effective_batch_size)
            if size <= plan.micro_batch_size // 2
        ]
        if smaller:
            self.plan = replace(plan, micro_batch_size=smaller[0])
        elif not plan.gradient_checkpointing:
            self.plan = replace(plan, gradient_checkpointing=True)
            self.model.enable_input_require_grads()
            self.model.gradient_checkpointing_enable({"use_reentrant": False})
        else:
            raise JobError(
                "out_of_memory",
                "The GPU has too little memory even for one example at a time with gradient checkpointing. "
                "Lower config.max_sequence_length or config.lora_rank, or train a smaller model.",
            )
        self.on_less_memory()

    def on_less_memory(self) -> None:
        """Tell that the plan changed."""
        log.warning("Out of memory; going on with micro-batches of %d.", self.plan.micro_batch_size)

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The sum over this micro-batch, divided by the loss tokens of the whole optimizer step."""
        if self.aux_loss_enabled:
            # Experts need their balancing loss, which TRL weighs.
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        outputs = model(**inputs, use_cache=False, fused_lm_head=True, num_items_in_batch=num_items_in_batch)
        return (outputs.loss, outputs) if return_outputs else outputs.loss

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:
        """Nobody reads the count, and making it walks over all parameters in every step."""
        return 0

    def mean_loss(self, examples: Sequence[Example]) -> float:
        """The loss over all loss tokens of some examples."""
        self.model.eval()
        total, count = 0.0, max(loss_tokens(examples), 1)
        for micro in micro_batches(examples, self.plan.micro_batch_size):
            tensors = self._prepare_inputs(collate(micro, self._pad_token, self.plan.pad_to_multiple_of))
            with torch.no_grad(), self.compute_loss_context_manager():
                total += float(self.compute_loss(self.model, tensors, num_items_in_batch=count))
        self.model.train()
        return total

    def save_state(self, folder: Path) -> None:
        """Everything that a resume needs beyond the adapter, in a folder of its own."""
        folder.mkdir(parents=True)
        self._save_optimizer_and_scheduler(str(folder))
        self._save_rng_state(str(folder))
        # The server has every step's metrics; the copy here would grow with each step.
        self.state.log_history = []
        self.state.save_to_json(str(folder / "trainer_state.json"))


def is_finite(*values: float) -> bool:
    """Whether all values are numbers that JSON can hold."""
    return all(math.isfinite(value) for value in values)
