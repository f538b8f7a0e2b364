"""Calls a model with OpenAI's client, unchanged, and reads the session that the gateway has recorded."""

import uuid
from typing import Any

from openai import OpenAI

from platform_api import GATEWAY, KEY, WORKSPACE, call

session = str(uuid.uuid4())
call("POST", f"{WORKSPACE}/sessions", {"id": session, "model": "sim/echo", "agent": "gateway-example"})

client = OpenAI(base_url=GATEWAY, api_key=KEY, default_headers={"X-Drydock-Session": session})
messages: list[Any] = []
for content in ["Ahoy", "Fair winds"]:
    messages.append({"role": "user", "content": content})
    messages.append(client.chat.completions.create(model="sim/echo", messages=messages).choices[0].message)

for message in call("GET", f"{WORKSPACE}/sessions/{session}/transcript")["messages"]:
    print(f"{message['role']}: {message['content']}")
# → user: Ahoy
# → assistant: Ahoy
# → user: Fair winds
# → assistant: Fair winds
