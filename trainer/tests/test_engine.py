"""What the engine computes: the same gradients however a step is split, packed or retried."""

import json
from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drydock_trainer.errors import JobError
from drydock_trainer.preparation import Example
from drydock_trainer.protocol.jobs import Config
from tests.fake_server import DEFAULT_CONFIG

pytestmark = pytest.mark.torch


def _examples(lengths: Sequence[int]) -> list[Example]:
    made = []
    for number, length in enumerate(lengths):
        tokens = array("i", [(7 * number + 13 * place) % 900 + 50 for place in range(length)])
        made.append(Example(tokens, bytes([0] * 2 + [1] * (length - 2)), None, number, "data", "train"))
    return made


def _packed(examples: Sequence[Example]) -> Example:
    tokens, mask, positions = array("i"), b"", array("i")
    for example in examples:
        tokens.extend(example.input_ids)
        mask += example.loss_mask
        positions.extend(range(len(example.input_ids)))
    return Example(tokens, mask, positions, 0, "data", "train")


def _trainer(demo_model: Path, examples: Sequence[Example], folder: Path, **plan_changes: Any) -> Any:
    from drydock_trainer.engine import model
    from drydock_trainer.engine.batches import Schedule
    from drydock_trainer.engine.plan import make_plan
    from drydock_trainer.engine.trainer import LoraTrainer

    config = Config(**{**DEFAULT_CONFIG, "batch_size": len(examples)})
    schedule = Schedule(len(examples), len(examples), 1, 0, None)
    tokenizer = model.load_tokenizer("base", str(demo_model))
    base = model.load_weights("base", str(demo_model), "sdpa", "float32")
    plan = make_plan(
        model.shape_of(base.config),
        model.find_hardware(),
        batch_size=len(examples),
        effective=len(examples),
        longest=64,
        packing=False,
        total_steps=1,
        total_tokens=1000,
    )
    trainer = LoraTrainer(
        model=base,
        tokenizer=tokenizer,
        config=config,
        plan=replace(plan, **plan_changes),
        schedule=schedule,
        examples=examples,
        folder=str(folder),
    )
    # New adapters are zero in one half; with random numbers in both, all gradients carry information.
    import torch

    torch.manual_seed(1)
    for name, parameter in trainer.model.named_parameters():
        if "lora_B" in name:
            parameter.data.normal_(std=0.1)
    return trainer


def _step(trainer: Any) -> tuple[float, dict[str, Any]]:
    trainer.model.zero_grad()
    loss = float(trainer.training_step(trainer.model, {"step": 0}))
    gradients = {name: p.grad.clone() for name, p in trainer.model.named_parameters() if p.requires_grad}
    return loss, gradients


def _assert_same(one: tuple[float, dict[str, Any]], two: tuple[float, dict[str, Any]]) -> None:
    import torch

    assert one[0] == pytest.approx(two[0], rel=1e-5)
    for name, gradient in one[1].items():
        torch.testing.assert_close(gradient, two[1][name], rtol=2e-4, atol=1e-6)


def test_only_the_adapter_is_trained(demo_model: Path, tmp_path: Path) -> None:
    trainer = _trainer(demo_model, _examples([5]), tmp_path)
    trained = {name.split(".")[-3] for name, p in trainer.model.named_parameters() if p.requires_grad}
    assert trained == {"lora_A", "lora_B"}
    targets = trainer.model.peft_config["default"].target_modules
    assert set(targets) == {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}


def test_split_step_has_the_gradients_of_a_whole_one(demo_model: Path, tmp_path: Path) -> None:
    examples = _examples([30, 5, 17, 9, 12, 3])
    whole = _step(_trainer(demo_model, examples, tmp_path))
    for size in (1, 2, 3):
        _assert_same(_step(_trainer(demo_model, examples, tmp_path, micro_batch_size=size)), whole)


def test_padding_changes_nothing(demo_model: Path, tmp_path: Path) -> None:
    examples = _examples([30, 5, 17])
    whole = _step(_trainer(demo_model, examples, tmp_path))
    _assert_same(_step(_trainer(demo_model, examples, tmp_path, pad_to_multiple_of=64)), whole)


def test_packed_examples_do_not_see_each_other(demo_model: Path, tmp_path: Path) -> None:
    examples = _examples([30, 5, 17, 9])
    apart = _step(_trainer(demo_model, examples, tmp_path))
    packed = [_packed(examples[:2]), _packed(examples[2:])]
    _assert_same(_step(_trainer(demo_model, packed, tmp_path)), apart)
    other = [_packed(examples[1::-1]), _packed(examples[2:])]
    _assert_same(_step(_trainer(demo_model, other, tmp_path, pad_to_multiple_of=32)), apart)


def test_loss_is_that_of_the_model_itself(demo_model: Path, tmp_path: Path) -> None:
    import torch

    from drydock_trainer.engine.batches import collate

    examples = _examples([30, 5, 17])
    trainer = _trainer(demo_model, examples, tmp_path)
    with torch.no_grad():
        expected = float(trainer.model(**collate(examples, 0, 1)).loss)
    assert _step(trainer)[0] == pytest.approx(expected, rel=1e-5)
    assert trainer.mean_loss(examples) == pytest.approx(expected, rel=1e-5)


def _limit_memory(trainer: Any, rows: int) -> None:
    """Let the model fail as a full GPU does when it gets more rows than fit."""
    import torch

    def check(_module: Any, _arguments: Any, keywords: dict[str, Any]) -> None:
        if keywords["input_ids"].shape[0] > rows:
            raise torch.OutOfMemoryError("CUDA out of memory")

    trainer.model.register_forward_pre_hook(check, with_kwargs=True)


def test_step_that_does_not_fit_is_done_again_in_smaller_pieces(demo_model: Path, tmp_path: Path) -> None:
    examples = _examples([30, 5, 17, 9, 12, 3])
    whole = _step(_trainer(demo_model, examples, tmp_path))
    trainer = _trainer(demo_model, examples, tmp_path)
    _limit_memory(trainer, 2)
    _assert_same(_step(trainer), whole)
    assert trainer.plan.micro_batch_size == 1 or 6 % trainer.plan.micro_batch_size == 0
    assert trainer.plan.micro_batch_size <= 2


def test_step_that_never_fits_says_what_to_lower(demo_model: Path, tmp_path: Path) -> None:
    trainer = _trainer(demo_model, _examples([30, 5]), tmp_path)
    _limit_memory(trainer, 0)
    with pytest.raises(JobError, match="max_sequence_length") as caught:
        _step(trainer)
    assert caught.value.kind == "out_of_memory"
    assert trainer.plan.gradient_checkpointing


def test_examples_longer_than_the_model_are_refused(demo_model: Path) -> None:
    from drydock_trainer.engine import model

    config = model.load_config("base", str(demo_model))
    tokenizer = model.load_tokenizer("base", str(demo_model))
    model.check_fits("base", config, tokenizer, _examples([2048]))
    with pytest.raises(JobError, match="at most 2048") as caught:
        model.check_fits("base", config, tokenizer, _examples([2049]))
    assert (caught.value.kind, caught.value.field) == ("refused", "config.max_sequence_length")
    model.check_fits("base", config, tokenizer, [_packed(_examples([2000, 2000]))])


def test_gradient_checkpointing_changes_nothing(demo_model: Path, tmp_path: Path) -> None:
    examples = _examples([30, 5, 17])
    whole = _step(_trainer(demo_model, examples, tmp_path))
    trainer = _trainer(demo_model, examples, tmp_path, micro_batch_size=1)
    trainer._need_less_memory()
    assert trainer.plan.gradient_checkpointing
    _assert_same(_step(trainer), whole)


def test_demo_model_is_the_same_each_time(demo_model: Path, tmp_path: Path) -> None:
    from drydock_trainer.demo.model import make_demo_model

    make_demo_model(tmp_path)
    for path in sorted(demo_model.iterdir()):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 20_000_000
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "llama"
