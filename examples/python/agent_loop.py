"""A whole agent: takes a task, lets a model work in a runtime through a tool, saves its session, verifies."""

import json
import uuid
from typing import Any

from openai import OpenAI

from platform_api import GATEWAY, KEY, WORKSPACE, call, publish_task

MODEL = "sim/tool-user"
TOOL = {"name": "bash", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}
client = OpenAI(base_url=GATEWAY, api_key=KEY)

publish_task("example-word-py", "hello")
instruction = call("GET", "/tasks/example-word-py")["manifest"]["instruction"]

runtime = f"{WORKSPACE}/runtimes/" + call("POST", f"{WORKSPACE}/runtimes", {"name": "Agent loop py"})["key"]
call("POST", f"{runtime}/start")

messages: list[Any] = [{"role": "user", "content": instruction}]
transcript: list[dict[str, Any]] = [{"role": "user", "content": instruction}]
for _ in range(10):
    tools: Any = [{"type": "function", "function": TOOL}]
    message = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
    messages.append(message)
    calls = [one for one in message.tool_calls or [] if one.type == "function"]
    said: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
    if calls:
        said["tool_calls"] = [
            {"id": one.id, "name": one.function.name, "arguments": one.function.arguments} for one in calls
        ]
    transcript.append(said)
    if not calls:
        break
    for one in calls:
        done = call("POST", f"{runtime}/exec", {"command": json.loads(one.function.arguments)["command"]})
        result = {"role": "tool", "tool_call_id": one.id, "content": done["stdout"] + done["stderr"]}
        messages.append(result)
        transcript.append(result)

session = str(uuid.uuid4())
call("POST", f"{WORKSPACE}/sessions", {"id": session, "model": MODEL, "agent": "agent-loop"})
call("POST", f"{WORKSPACE}/sessions/{session}/transcript", {"messages": transcript})
saved = call("GET", f"{WORKSPACE}/sessions/{session}/transcript")
print("messages:", *[one["role"] for one in saved["messages"]])  # → messages: user assistant tool assistant

verified = call("POST", f"{runtime}/exec", {"command": "grep -qx hello word.txt"})
print("solved:", verified["exit_code"] == 0)  # → solved: True
call("DELETE", runtime)
