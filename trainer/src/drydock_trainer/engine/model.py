"""Loading of base models and tokenizers, with refusals that name what is wrong."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drydock_trainer.engine.plan import Hardware, Shape
from drydock_trainer.errors import JobError
from drydock_trainer.preparation import Example


def _refused(reference: str, reason: str) -> JobError:
    return JobError("refused", f'The base model "{reference}" cannot be trained: {reason}', "model")


def find_base(reference: str, folder: str | None) -> str:
    """The folder (or hub name) to load from; adapters and folders without a model are refused."""
    if folder is None:
        # A folder of this machine may hold the models of others, so only names of a hub are taken.
        if Path(reference).exists() or Path(reference).is_absolute() or reference.startswith("."):
            raise _refused(reference, "it names a folder. Publish the model to the registry instead.")
        return reference
    source, path = folder, Path(folder)
    if (path / "adapter_config.json").is_file():
        raise _refused(reference, "it is an adapter. Train its base model instead.")
    if not (path / "config.json").is_file():
        raise _refused(reference, "config.json is missing. Publish the whole folder of the model.")
    if not any(path.glob("*.safetensors")):
        raise _refused(reference, "it has no weights (*.safetensors). Publish the whole folder of the model.")
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except ValueError:
        raise _refused(reference, "config.json is not valid JSON.") from None
    if "auto_map" in config:
        raise _refused(reference, "it brings its own Python code, which the trainer never runs.")
    return source


def load_tokenizer(reference: str, source: str) -> Any:
    """The tokenizer of the base model, with a padding token."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        reason = f"its tokenizer does not load ({_first_line(error)}). Publish tokenizer.json with it."
        raise _refused(reference, reason) from error
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token_id is None:
            raise _refused(reference, "its tokenizer has neither a padding nor an end-of-sequence token.")
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_config(reference: str, source: str) -> Any:
    """The model's configuration; an architecture that is not a known causal language model is refused."""
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    try:
        config = AutoConfig.from_pretrained(source, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        reason = f"its configuration is not known ({_first_line(error)}). Use a causal language model."
        raise _refused(reference, reason) from error
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
        name = getattr(config, "model_type", type(config).__name__)
        raise _refused(reference, f'"{name}" is not a causal language model. Use one of that kind.')
    return config


def load_weights(reference: str, source: str, attention: str, dtype: str) -> Any:
    """The model with its weights; missing ones are refused, never filled with random numbers."""
    import torch
    from transformers import AutoModelForCausalLM

    try:
        model, loading = AutoModelForCausalLM.from_pretrained(
            source,
            dtype=getattr(torch, dtype),
            attn_implementation=attention,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except (MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:
        # Readers of weights have errors of their own, from native code; all of them are the model's fault.
        raise _refused(reference, f"its weights do not load ({_first_line(error)}).") from error
    if missing := sorted(loading["missing_keys"]):
        raise _refused(reference, f'{len(missing)} weights are missing, the first is "{missing[0]}".')
    return model


def shape_of(config: Any) -> Shape:
    """The sizes that the memory estimate needs; architectures name them differently."""
    import torch
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        empty = AutoModelForCausalLM.from_config(config)
    text = config.get_text_config()
    hidden = int(text.hidden_size)
    return Shape(
        parameters=sum(parameter.numel() for parameter in empty.parameters()),
        layers=int(text.num_hidden_layers),
        hidden=hidden,
        intermediate=int(getattr(text, "intermediate_size", None) or 4 * hidden),
        vocabulary=int(text.vocab_size),
    )


def check_fits(reference: str, config: Any, tokenizer: Any, examples: Sequence[Example]) -> None:
    """Refuse data that the model has no positions or no embeddings for; a GPU would fail without a reason."""
    text = config.get_text_config()
    positions = getattr(text, "max_position_embeddings", None)
    longest = max(
        len(item.input_ids) if item.position_ids is None else max(item.position_ids) + 1 for item in examples
    )
    if positions is not None and longest > positions:
        raise JobError(
            "refused",
            f'An example has {longest} tokens, and the base model "{reference}" takes {positions}. '
            f"Set config.max_sequence_length to at most {positions}.",
            "config.max_sequence_length",
        )
    if len(tokenizer) > text.vocab_size and max(max(item.input_ids) for item in examples) >= text.vocab_size:
        raise _refused(reference, f"its tokenizer makes tokens beyond its {text.vocab_size} embeddings.")


def find_hardware() -> Hardware:
    """The device that training runs on."""
    import torch
    from transformers.utils import is_flash_attn_2_available

    if not torch.cuda.is_available():
        return Hardware("cpu", 0, bf16=False, flash_attention=False)
    free, _ = torch.cuda.mem_get_info()
    return Hardware("cuda", free, torch.cuda.is_bf16_supported(), bool(is_flash_attn_2_available()))


def peak_memory() -> dict[str, float]:
    """The most GPU memory that was in use, as a metric."""
    import torch

    return {"train/peak_memory_bytes": torch.cuda.max_memory_allocated()} if torch.cuda.is_available() else {}


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300].rstrip(".") if lines else type(error).__name__
