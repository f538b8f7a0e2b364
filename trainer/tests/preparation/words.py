"""A tokenizer whose tokens are words, and sequences of them that a reader can check."""

import re
from collections.abc import Iterable
from typing import Any

from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from drydock_trainer.preparation import Example

SPECIALS = [
    "<s>",
    "</s>",
    "<|im_start|>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
]
SPECIALS += ["[INST]", "[/INST]", "<start_of_turn>", "<end_of_turn>"]
# These are tokens of their own without being special.
MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]

PIECE = r"\w+|\n|[^\w\s]"


def make_tokenizer(template: str | None, texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Words, line breaks and punctuation marks are tokens; spaces are none."""
    words = sorted({piece for text in texts for piece in re.findall(PIECE, text)})
    vocabulary = {
        word: place for place, word in enumerate(dict.fromkeys([*SPECIALS, *MARKS, "<unk>", *words]))
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(" +"), "removed"),
            pre_tokenizers.Split(Regex(PIECE), "isolated"),
        ]
    )
    tokenizer.add_special_tokens(SPECIALS)
    tokenizer.add_tokens(MARKS)
    make: Any = PreTrainedTokenizerFast
    fast: PreTrainedTokenizerFast = make(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    fast.chat_template = template
    return fast


def show(tokenizer: Any, example: Example) -> str:
    """The tokens of an example; those that carry loss are between ⟦ and ⟧, a line break is ⏎."""
    shown = []
    carries_before = 0
    for token, carries in zip(
        tokenizer.convert_ids_to_tokens(list(example.input_ids)), example.loss_mask, strict=True
    ):
        assert token != "<unk>"
        if carries != carries_before:
            shown.append("⟦" if carries else "⟧")
        shown.append("⏎" if token == "\n" else token)
        carries_before = carries
    return " ".join([*shown, *(["⟧"] if carries_before else [])])
