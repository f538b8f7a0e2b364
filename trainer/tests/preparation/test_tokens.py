"""Masks on tokens of bytes, which do not end where turns do."""

from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from drydock_trainer.preparation import Options, Prepared, Source, prepare

from .cases import assistant, chat, user
from .templates import CHATML, LLAMA, MISTRAL
from .words import SPECIALS

OPTIONS = Options(max_sequence_length=1000)


def make_bytes(template: str | None, adds_bos: bool = False, trims: bool = False) -> Any:
    """Byte pairs, where a word takes the space before it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=SPECIALS)
    tokenizer.train_from_iterator(["hello hello world assistant user\n\n"] * 20, trainer)
    bos = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    tokenizer.post_processor = bos if adds_bos else processors.ByteLevel(trim_offsets=trims)
    make: Any = PreTrainedTokenizerFast
    fast = make(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    fast.chat_template = template
    return fast


def prepared(tokenizer: Any, *rows: dict[str, Any], options: Options = OPTIONS) -> Prepared:
    return prepare([Source("train", "data", list(enumerate(rows)))], tokenizer, options)


def trained_texts(tokenizer: Any, result: Prepared) -> list[str]:
    texts = []
    for example in result.examples:
        pairs = zip(example.input_ids, example.loss_mask, strict=True)
        texts.append(tokenizer.decode([token for token, carries in pairs if carries]))
    return texts


@pytest.mark.parametrize("trims", [False, True])
def test_loss_is_on_all_bytes_of_an_answer(trims: bool) -> None:
    tokenizer = make_bytes(CHATML, trims=trims)
    answer = "hello 🙂 wörld 猫\n\n  end"
    result = prepared(tokenizer, chat(user("🙂 hello"), assistant(answer), user("猫")))
    assert trained_texts(tokenizer, result) == [f"{answer}<|im_end|>"]


def test_token_on_the_edge_of_a_turn_carries_loss() -> None:
    tokenizer = make_bytes(MISTRAL)
    result = prepared(tokenizer, chat(user("user"), assistant("hello")))
    # The template writes the space, and one token holds it together with the answer.
    assert trained_texts(tokenizer, result) == [" hello</s>"]


def test_completion_within_a_word_carries_loss_with_the_whole_token() -> None:
    tokenizer = make_bytes(None)
    result = prepared(tokenizer, {"prompt": "hello wor", "completion": "ld"})
    assert trained_texts(tokenizer, result) == [" world</s>"]


def test_beginning_is_written_once() -> None:
    tokenizer = make_bytes(LLAMA, adds_bos=True)
    rows = [chat(user("user"), assistant("hello")), {"text": "hello"}, {"text": "<s>hello"}]
    result = prepared(tokenizer, *rows)
    assert [list(example.input_ids).count(tokenizer.bos_token_id) for example in result.examples] == [1, 1, 1]
    assert [example.input_ids[0] for example in result.examples] == [tokenizer.bos_token_id] * 3
    assert trained_texts(tokenizer, result)[1:] == ["hello</s>", "hello</s>"]


def test_text_gets_no_beginning_that_the_tokenizer_does_not_write() -> None:
    tokenizer = make_bytes(None)
    result = prepared(tokenizer, {"text": "hello world"})
    assert tokenizer.decode(list(result.examples[0].input_ids)) == "hello world</s>"


def test_limit_of_the_tokenizer_itself_cuts_nothing() -> None:
    tokenizer = make_bytes(None)
    tokenizer.backend_tokenizer.enable_truncation(3)
    tokenizer.model_max_length = 3
    result = prepared(tokenizer, {"text": "hello world hello world"})
    assert tokenizer.decode(list(result.examples[0].input_ids)) == "hello world hello world</s>"


def test_labels_are_the_tokens_that_carry_loss() -> None:
    tokenizer = make_bytes(None)
    (example,) = prepared(tokenizer, {"prompt": "hello", "completion": " world"}).examples
    assert example.labels == [-100, *example.input_ids[1:]]
