"""Requests and answers of chat completions, without a model."""

import json
from typing import Any

import pytest

from drydock_trainer.serving.chat import ChatRequest, RequestError, TextGate, split_tool_calls

MESSAGES: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ([], None),
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": ["Hi"]}, "messages"),
        ({"messages": MESSAGES, "temperature": 3}, "temperature"),
        ({"messages": MESSAGES, "temperature": "hot"}, "temperature"),
        ({"messages": MESSAGES, "max_tokens": 0}, "max_tokens"),
        ({"messages": MESSAGES, "max_completion_tokens": True}, "max_completion_tokens"),
        ({"messages": MESSAGES, "stop": [""]}, "stop"),
        ({"messages": MESSAGES, "n": 2}, "n"),
        ({"messages": MESSAGES, "logprobs": True}, "logprobs"),
        ({"messages": MESSAGES, "response_format": {"type": "json_object"}}, "response_format"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages"),
        ({"messages": MESSAGES, "tools": "all"}, "tools"),
        ({"messages": MESSAGES, "tools": [], "tool_choice": "required"}, "tool_choice"),
        ({"messages": MESSAGES, "tool_choice": {"type": "function"}}, "tool_choice"),
        ({"messages": MESSAGES, "presence_penalty": 0.5}, "presence_penalty"),
        ({"messages": MESSAGES, "frequency_penalty": -1}, "frequency_penalty"),
    ],
)
def test_parse_refuses_bad_requests_by_name(body: Any, param: str | None) -> None:
    with pytest.raises(RequestError) as caught:
        ChatRequest.parse(body)
    assert caught.value.status == 400
    assert caught.value.body["error"]["param"] == param


def test_parse_takes_settings_that_change_nothing() -> None:
    neutral = {"presence_penalty": 0, "frequency_penalty": 0.0, "tool_choice": "auto", "logprobs": False}
    assert ChatRequest.parse({"messages": MESSAGES, **neutral}).tools is None


def test_parse_reads_parts_and_tool_arguments() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    request = ChatRequest.parse(
        {"messages": [{"role": "user", "content": parts}, {"role": "assistant", "tool_calls": [call]}]}
    )
    assert request.messages[0]["content"] == "one two"
    assert request.messages[1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert (request.temperature, request.top_p, request.max_tokens) == (0.0, 1.0, None)


@pytest.mark.parametrize(
    ("pieces", "stops", "shown", "stopped"),
    [
        (["Hel", "lo"], (), ["Hel", "lo"], False),
        (["Hello E", "ND now"], ("END",), ["Hello ", ""], True),
        (["Hello E", "gg"], ("END",), ["Hello ", "Egg"], False),
        (["a", "b", "c"], ("abc",), ["", "", ""], True),
        (["xENDyEN"], ("EN", "END"), ["x"], True),
    ],
)
def test_gate_holds_back_what_may_become_a_stop(
    pieces: list[str], stops: tuple[str, ...], shown: list[str], stopped: bool
) -> None:
    gate = TextGate(stops, hold_tool_calls=False)
    assert [gate.add(piece) for piece in pieces] == shown
    assert gate.stopped == stopped


def test_gate_holds_back_tool_calls_until_the_end() -> None:
    gate = TextGate((), hold_tool_calls=True)
    assert [gate.add(piece) for piece in ("Let me see <to", "ol_call>{", "}</tool_call>")] == [
        "Let me see ",
        "",
        "",
    ]
    assert gate.end() == "<tool_call>{}</tool_call>"


def test_split_takes_valid_tool_calls_out() -> None:
    text = 'Sure. <tool_call>{"name": "add", "arguments": {"a": "ö"}}</tool_call>'
    text += ' <tool_call>{"name": "now"}</tool_call>'
    content, calls = split_tool_calls(text)
    assert content == "Sure."
    assert [call["function"]["name"] for call in calls] == ["add", "now"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"a": "ö"}
    assert calls[0]["id"] != calls[1]["id"]


@pytest.mark.parametrize(
    "text", ["<tool_call>{oops</tool_call>", "<tool_call>[1]</tool_call>", "<tool_call>{}", "no"]
)
def test_split_leaves_everything_else_as_text(text: str) -> None:
    assert split_tool_calls(text) == (text, [])
