"""How the engine runs a job on the hardware that it found; reported with `training_start`."""

import math
from dataclasses import asdict, dataclass
from typing import Any

# Compiling the layers takes some tens of seconds, which a shorter job on a GPU does not earn back.
COMPILE_FROM_TOKENS = 4_000_000
MEMORY_SHARE = 0.8
WARMUP_SHARE = 0.03


@dataclass(frozen=True)
class Shape:
    """The sizes of a model that its memory follows from."""

    parameters: int
    layers: int
    hidden: int
    intermediate: int
    vocabulary: int


@dataclass(frozen=True)
class Hardware:
    """The device that the engine found."""

    device: str
    free_bytes: int
    bf16: bool
    flash_attention: bool


@dataclass(frozen=True)
class EnginePlan:
    """Every choice that the engine makes by itself."""

    device: str
    dtype: str
    attention: str
    micro_batch_size: int
    effective_batch_size: int
    gradient_checkpointing: bool
    compile: bool
    packing: bool
    pad_to_multiple_of: int
    optimizer: str
    scheduler: str
    warmup_steps: int
    max_grad_norm: float

    def report(self) -> dict[str, Any]:
        """The plan as `training_start.engine` carries it."""
        return asdict(self)


def activation_bytes(shape: Shape, tokens: int, checkpointing: bool) -> int:
    """What the backward pass needs of the forward pass, estimated for bf16 with LoRA on all layers."""
    layer = 2 * (16 * shape.hidden + 7 * shape.intermediate) + 8 * shape.hidden
    layers = shape.layers * 2 * shape.hidden + layer if checkpointing else shape.layers * layer
    # The fused loss holds the logits of at most 32,768 tokens, once in bf16 and once for their gradient in
    # fp32.
    logits = min(tokens, 32_768) * shape.vocabulary * 6
    return tokens * layers + logits


def micro_batch_sizes(effective: int) -> list[int]:
    """The divisors of the effective batch, largest first: no optimizer step has an odd piece."""
    return [size for size in range(effective, 0, -1) if effective % size == 0]


def _fitting(shape: Shape, hardware: Hardware, longest: int, effective: int) -> tuple[int, bool]:
    """The largest micro-batch that should fit, and whether it takes gradient checkpointing."""
    # Weights in bf16 stay in memory; the adapter with its optimizer is small beside them.
    room = int(hardware.free_bytes * MEMORY_SHARE) - 2 * shape.parameters
    for checkpointing in (False, True):
        for size in micro_batch_sizes(effective):
            if activation_bytes(shape, size * longest, checkpointing) <= room:
                return size, checkpointing
    return 1, True


def make_plan(
    shape: Shape,
    hardware: Hardware,
    *,
    batch_size: int,
    effective: int,
    longest: int,
    packing: bool,
    total_steps: int,
    total_tokens: int,
) -> EnginePlan:
    """Choose for one job; on a CPU nothing is guessed, so that a run can be repeated bit by bit."""
    cuda = hardware.device == "cuda"
    micro, checkpointing = _fitting(shape, hardware, longest, effective) if cuda else (batch_size, False)
    # In a batch of packed sequences only SDPA keeps the examples apart; flash attention does it for one
    # sequence.
    flash = cuda and hardware.bf16 and hardware.flash_attention and not packing
    return EnginePlan(
        device=hardware.device,
        dtype="bfloat16" if cuda and hardware.bf16 else "float32",
        attention="flash_attention_2" if flash else "sdpa",
        micro_batch_size=micro,
        effective_batch_size=effective,
        gradient_checkpointing=checkpointing,
        compile=cuda and not checkpointing and total_tokens >= COMPILE_FROM_TOKENS,
        packing=packing,
        pad_to_multiple_of=64 if cuda else 1,
        optimizer="adamw_torch_fused" if cuda else "adamw_torch",
        scheduler="linear",
        warmup_steps=math.ceil(WARMUP_SHARE * total_steps),
        max_grad_norm=1.0,
    )
