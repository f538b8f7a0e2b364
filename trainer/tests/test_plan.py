"""What the engine chooses by itself, and the order of the data."""

from array import array

from drydock_trainer.engine.batches import Schedule, loss_tokens, micro_batches
from drydock_trainer.engine.plan import EnginePlan, Hardware, Shape, make_plan, micro_batch_sizes
from drydock_trainer.preparation import Example

GIB = 1 << 30
SMALL = Shape(parameters=654_000_000, layers=16, hidden=1536, intermediate=6144, vocabulary=16_384)
LARGE = Shape(parameters=8_000_000_000, layers=32, hidden=4096, intermediate=14_336, vocabulary=128_256)


def _plan(shape: Shape, hardware: Hardware, effective: int = 8, packing: bool = False) -> EnginePlan:
    return make_plan(
        shape,
        hardware,
        batch_size=4,
        effective=effective,
        longest=2048,
        packing=packing,
        total_steps=100,
        total_tokens=100 * effective * 2048,
    )


def _example(length: int) -> Example:
    return Example(array("i", range(length)), bytes([0] + [1] * (length - 1)), None, 0, "data", "train")


def test_large_gpu_takes_the_whole_batch_at_once() -> None:
    plan = _plan(SMALL, Hardware("cuda", 139 * GIB, bf16=True, flash_attention=False))
    assert (plan.micro_batch_size, plan.gradient_checkpointing, plan.dtype) == (8, False, "bfloat16")


def test_small_gpu_takes_a_divisor_of_the_batch() -> None:
    plan = _plan(LARGE, Hardware("cuda", 40 * GIB, bf16=True, flash_attention=False), effective=12)
    assert plan.micro_batch_size in micro_batch_sizes(12)
    assert plan.micro_batch_size < 12


def test_tiny_gpu_takes_gradient_checkpointing() -> None:
    plan = _plan(LARGE, Hardware("cuda", 6 * GIB, bf16=True, flash_attention=False))
    assert (plan.gradient_checkpointing, plan.compile) == (True, False)


def test_cpu_takes_the_batch_size_as_it_is() -> None:
    plan = _plan(SMALL, Hardware("cpu", 0, bf16=False, flash_attention=False))
    assert (plan.micro_batch_size, plan.dtype, plan.compile) == (4, "float32", False)


def test_packing_keeps_to_an_attention_that_separates_examples() -> None:
    hardware = Hardware("cuda", 139 * GIB, bf16=True, flash_attention=True)
    assert _plan(SMALL, hardware).attention == "flash_attention_2"
    assert _plan(SMALL, hardware, packing=True).attention == "sdpa"


def test_schedule_shows_every_example_once_an_epoch() -> None:
    schedule = Schedule(examples=10, batch=4, epochs=3, seed=1, step_limit=None)
    assert (schedule.steps_per_epoch, schedule.total_steps) == (3, 9)
    epochs = [[schedule.indices(3 * epoch + step) for step in range(3)] for epoch in range(3)]
    assert all(sorted(index for step in epoch for index in step) == list(range(10)) for epoch in epochs)
    assert all([len(step) for step in epoch] == [4, 4, 2] for epoch in epochs)
    assert epochs[0] != epochs[1]
    assert schedule.indices(4) == Schedule(10, 4, 3, 1, None).indices(4)
    assert schedule.epoch_at(9) == 3.0


def test_steps_cap_epochs() -> None:
    assert Schedule(10, 4, 3, 0, 5).total_steps == 5
    assert Schedule(10, 4, 3, 0, 50).total_steps == 9


def test_micro_batches_hold_neighbours_in_length() -> None:
    lengths = [
        [len(item.input_ids) for item in micro]
        for micro in micro_batches([_example(n) for n in (3, 9, 4, 8)], 2)
    ]
    assert lengths == [[9, 8], [4, 3]]


def test_first_token_of_a_sequence_never_counts() -> None:
    example = Example(array("i", [1, 2, 3]), bytes([1, 1, 0]), None, 0, "data", "train")
    assert loss_tokens([example, _example(5)]) == 1 + 4
