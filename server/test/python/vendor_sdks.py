"""Calls a gateway with the SDKs for Python of OpenAI and Anthropic, and prints what they make of it as JSON."""

import json
import sys

import anthropic
import openai

URL, KEY = sys.argv[1:]
ADD = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
STEPS = [
    {"reasoning": "I add.", "call": [{"name": "add", "arguments": {"a": 6, "b": 7}}]},
    {"say": "That makes {{last_tool_result}}."},
]
SCRIPT = f"```sim\n{json.dumps(STEPS)}\n```"
BROKEN = f"```sim\n{json.dumps([{'say': 'one two three', 'break_off': {'after': 4, 'times': 9}}])}\n```"

client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
claude = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
found = {}


def responses():
    found["response"] = client.responses.create(model="sim/echo", input="Hello").output_text
    tools = [{"type": "function", "name": "add", "parameters": ADD, "strict": False}]
    conversation = [{"role": "user", "content": "What is 6 and 7?"}]
    while True:
        with client.responses.stream(
            model="sim/scripted", instructions=SCRIPT, input=conversation, tools=tools
        ) as stream:
            for _ in stream:
                pass
            response = stream.get_final_response()
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            found["response_tools"] = response.output_text
            break
        found["response_items"] = [item.type for item in response.output]
        conversation += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in response.output]
        for call in calls:
            given = json.loads(call.arguments)
            output = str(given["a"] + given["b"])
            conversation.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    try:
        client.responses.create(model="sim/echo", input="a", tools=[{"type": "web_search"}])
    except openai.UnprocessableEntityError as error:
        found["response_refusal"] = error.body["param"]
    events = [event.type for event in client.responses.create(model="sim/scripted", instructions=BROKEN, input="a", stream=True)]
    found["response_broken"] = events[-1]


def messages():
    request = {"model": "sim/echo", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
    found["message"] = claude.messages.create(**request).content[0].text
    tools = [{"name": "add", "input_schema": ADD}]
    conversation = [{"role": "user", "content": "What is 6 and 7?"}]
    while True:
        with claude.messages.stream(
            model="sim/scripted", max_tokens=100, system=SCRIPT, messages=conversation, tools=tools
        ) as stream:
            message = stream.get_final_message()
        if message.stop_reason != "tool_use":
            found["message_tools"] = message.content[0].text
            break
        found["message_blocks"] = [block.type for block in message.content]
        conversation.append({"role": "assistant", "content": message.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": str(block.input["a"] + block.input["b"])}
            for block in message.content
            if block.type == "tool_use"
        ]
        conversation.append({"role": "user", "content": results})
    found["count"] = claude.messages.count_tokens(model="sim/echo", messages=request["messages"]).input_tokens > 0
    try:
        claude.messages.create(**{**request, "model": "sim/none"})
    except anthropic.NotFoundError as error:
        found["message_refusal"] = error.body["error"]["type"]
    try:
        with claude.messages.stream(**{**request, "model": "sim/scripted"}, system=BROKEN) as stream:
            stream.get_final_message()
    except anthropic.APIStatusError as error:
        found["message_broken"] = error.body["error"]["type"]
    found["models"] = "sim/echo" in [model.id for model in claude.models.list()]


def embeddings():
    texts = ["a ship in the dock", "the ship in a dock"]
    first, second = client.embeddings.create(model="sim/embedder", input=texts).data
    found["similar"] = sum(a * b for a, b in zip(first.embedding, second.embedding)) > 0.8


responses()
messages()
embeddings()
print(json.dumps(found))
