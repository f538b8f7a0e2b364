"""A loaded model that continues conversations, one at a time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from drydock_trainer.serving.chat import ChatRequest, RequestError, TextGate

INCOMPLETE = "\ufffd"


class Ended(Exception):
    """Ends a generation from inside: a stop text came, or the client left."""


class Generator:
    """A model with its tokenizer."""

    def __init__(self, folder: Path, base: Path | None) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        is_adapter = (folder / "adapter_config.json").is_file()
        if is_adapter and base is None:
            raise ValueError(f"{folder} is an adapter. Name the folder of its base model with --base.")
        weights = base if is_adapter and base is not None else folder
        has_tokenizer = (folder / "tokenizer_config.json").is_file()
        cuda = torch.cuda.is_available()
        self._torch = torch
        self.tokenizer = AutoTokenizer.from_pretrained(
            folder if has_tokenizer else weights, trust_remote_code=False
        )
        model: Any = AutoModelForCausalLM.from_pretrained(
            weights, dtype=torch.bfloat16 if cuda else torch.float32, trust_remote_code=False
        )
        if is_adapter:
            from peft import PeftModel

            model = PeftModel.from_pretrained(model, str(folder))
        self._model = model.to("cuda" if cuda else "cpu").eval()
        self.context = _context_length(weights)

    def prompt(self, request: ChatRequest) -> list[int]:
        """The conversation as tokens, written by the model's own template."""
        try:
            encoded = self.tokenizer.apply_chat_template(
                request.messages, tools=request.tools, add_generation_prompt=True, return_dict=True
            )
        except Exception as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise RequestError(
                400, f"The model's template refused the messages: {reason}", "messages"
            ) from error
        tokens: list[int] = encoded["input_ids"]
        if len(tokens) >= self.context:
            text = f"The messages take {len(tokens)} tokens and the model has {self.context}. Shorten them."
            raise RequestError(400, text, "messages", "context_length_exceeded")
        return tokens

    def run(
        self, request: ChatRequest, prompt: list[int], gate: TextGate, show: Callable[[str], None]
    ) -> tuple[int, str]:
        """Generate; `show` gets the text that each token made certain. Returns tokens and finish reason."""
        torch = self._torch
        room = self.context - len(prompt)
        limit = room if request.max_tokens is None else min(request.max_tokens, room)
        sampling: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        if request.temperature > 0:
            sampling = {
                "do_sample": True,
                "temperature": request.temperature,
                "top_p": request.top_p,
                "top_k": 0,
            }
            if request.seed is None:
                torch.seed()
            else:
                torch.manual_seed(request.seed % (1 << 63))
        stream = _Stream(self, gate, show)
        device = next(self._model.parameters()).device
        ids = torch.tensor([prompt], device=device)
        pad = self.tokenizer.pad_token_id
        try:
            with torch.inference_mode():
                self._model.generate(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    max_new_tokens=limit,
                    pad_token_id=self.tokenizer.eos_token_id if pad is None else pad,
                    streamer=stream,
                    **sampling,
                )
        except Ended:
            return len(stream.tokens), "stop"
        ended = bool(stream.tokens) and stream.tokens[-1] in self._end_tokens()
        return len(stream.tokens), "stop" if ended or len(stream.tokens) < limit else "length"

    def _end_tokens(self) -> set[int]:
        end = self._model.generation_config.eos_token_id
        return set(end) if isinstance(end, list) else {end, self.tokenizer.eos_token_id}


class _Stream:
    """Receives tokens from `generate` in its own thread, so raising an exception ends the generation."""

    def __init__(self, generator: Generator, gate: TextGate, show: Callable[[str], None]) -> None:
        self._tokenizer = generator.tokenizer
        self._gate = gate
        self._show = show
        self._prompt_passed = False
        self._start = 0
        self._shown = ""
        self.tokens: list[int] = []

    def put(self, value: Any) -> None:
        """Take the prompt first, then one token after the other."""
        if not self._prompt_passed:
            self._prompt_passed = True
            return
        self.tokens.extend(value.flatten().tolist())
        self._show(self._gate.add(self._new_text()))
        if self._gate.stopped:
            raise Ended

    def end(self) -> None:
        """Show what was held back."""
        self._show(self._gate.add(self._new_text(final=True)) + self._gate.end())

    def _new_text(self, final: bool = False) -> str:
        """Text since the last line break; a character of which only some bytes are there waits."""
        text = self._tokenizer.decode(self.tokens[self._start :], skip_special_tokens=True)
        if text.endswith(INCOMPLETE) and not final:
            return ""
        new: str = text[len(self._shown) :]
        self._shown = text
        if text.endswith("\n"):
            # Decoding starts again here, so that a long answer is not decoded from its beginning for every
            # token.
            self._start, self._shown = len(self.tokens), ""
        return new


def _context_length(folder: Path) -> int:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return int(config.get("max_position_embeddings") or config.get("n_positions") or 4096)
