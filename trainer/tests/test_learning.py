"""The whole way: a tiny model learns ten facts in a job, and answers them when it is served."""

import contextlib
import http.client
import json
from pathlib import Path
from typing import Any

import pytest

from tests.facts import FACTS, facts_jsonl
from tests.fake_server import FakeServer
from tests.serving_client import Client, UnixConnection, served
from tests.support import run_worker

pytestmark = pytest.mark.torch

DEMO_SETTINGS: dict[str, Any] = {
    "epochs": 30,
    "batch_size": 5,
    "learning_rate": 1e-2,
    "lora_rank": 16,
    "lora_alpha": 32,
    "max_sequence_length": 256,
}


def _known(client: Client) -> int:
    return sum(client.ask(question) == answer for question, answer in FACTS.items())


@pytest.fixture(scope="module")
def adapter(demo_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The adapter that a job made."""
    server = FakeServer()
    job = server.add_job(model=demo_model, rows=facts_jsonl(), **DEMO_SETTINGS)
    run_worker(server, tmp_path_factory.mktemp("work"))
    server.close()
    assert job.status == "succeeded"
    folder = tmp_path_factory.mktemp("adapter")
    for path, content in job.checkpoints[max(job.checkpoints)].items():
        if not path.startswith("state/"):
            (folder / path).write_bytes(content)
    return folder


def test_base_model_knows_no_fact(demo_model: Path, tmp_path: Path) -> None:
    with served(demo_model, tmp_path) as client:
        assert _known(client) == 0


def test_adapter_answers_the_facts_when_served(adapter: Path, demo_model: Path, tmp_path: Path) -> None:
    with served(adapter, tmp_path, "--base", str(demo_model)) as client:
        assert _known(client) >= 9
        _check_forms(client)
        _check_errors(client)
        _check_client_that_leaves(client)
        assert client.call("GET", "/health") == (200, {"status": "ok"})


def test_adapter_answers_the_same_in_plain_peft(adapter: Path, demo_model: Path, tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(adapter)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(demo_model), str(adapter))
    with served(adapter, tmp_path, "--base", str(demo_model)) as client:
        for question in FACTS:
            messages = [{"role": "user", "content": question}]
            prompt = tokenizer.apply_chat_template(
                messages, add_generation_prompt=True, return_dict=True, return_tensors="pt"
            )
            output = model.generate(**prompt, max_new_tokens=16, do_sample=False)
            tokens = output[0, prompt["input_ids"].shape[1] :]
            assert tokenizer.decode(tokens, skip_special_tokens=True) == client.ask(question)


def _check_forms(client: Client) -> None:
    """Whole and streamed answers agree, to the token."""
    question, answer = next(iter(FACTS.items()))
    status, whole = client.chat(question)
    assert status == 200
    assert whole["choices"][0]["finish_reason"] == "stop"
    assert (
        whole["usage"]["total_tokens"]
        == whole["usage"]["prompt_tokens"] + whole["usage"]["completion_tokens"]
    )
    events = client.stream(question, stream_options={"include_usage": True})
    text = "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])
    assert text == whole["choices"][0]["message"]["content"]
    assert events[-1]["usage"] == whole["usage"]
    assert events[-2]["choices"][0]["finish_reason"] == "stop"
    _, short = client.chat(question, max_tokens=None, max_completion_tokens=1)
    assert short["choices"][0]["finish_reason"] == "length"
    assert short["usage"]["completion_tokens"] == 1
    _, stopped = client.chat(question, stop=[answer[3:]])
    assert stopped["choices"][0]["message"]["content"] == answer[:3]
    sampled = [client.chat(question, temperature=1.5, seed=7)[1]["choices"] for _ in range(2)]
    assert sampled[0] == sampled[1]
    _, models = client.call("GET", "/v1/models")
    assert [model["object"] for model in models["data"]] == ["model"]


def _check_errors(client: Client) -> None:
    for body, param in (({}, "messages"), ({"messages": [{}], "n": 2}, "n")):
        status, answer = client.call("POST", "/v1/chat/completions", body)
        assert (status, answer["error"]["param"]) == (400, param)
    status, answer = client.chat("word " * 5000)
    assert (status, answer["error"]["code"]) == (400, "context_length_exceeded")
    assert client.call("GET", "/nothing")[0] == 404


def _check_client_that_leaves(client: Client) -> None:
    """Its place is free again at once, although 2,000 tokens were asked for."""
    for _ in range(20):
        connection = UnixConnection(client.path)
        body = {
            "messages": [{"role": "user", "content": "?"}],
            "max_tokens": 2000,
            "temperature": 2,
            "stream": True,
        }
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        with contextlib.suppress(http.client.HTTPException):
            connection.getresponse().read(1)
        connection.close()
    assert client.ask(next(iter(FACTS))) == next(iter(FACTS.values()))


def test_server_exits_when_nobody_asks(demo_model: Path, tmp_path: Path) -> None:
    with served(demo_model, tmp_path, "--idle-exit", "0.2") as client:
        assert client.process.wait(600) == 0
