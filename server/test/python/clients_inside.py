"""The vendors' clients in a sandbox without network: their settings come from the environment alone."""

import os

import anthropic
import openai

MODEL = "acme/large"
HEADERS = {"traceparent": os.environ["TRACEPARENT"]}


def ask_with_openai() -> None:
    client = openai.OpenAI(default_headers=HEADERS)
    asked = [{"role": "user", "content": "First, with chat completions."}]
    whole = client.chat.completions.create(model=MODEL, messages=asked)
    asked += [
        {"role": "assistant", "content": whole.choices[0].message.content},
        {"role": "user", "content": "Second, as a stream."},
    ]
    stream = client.chat.completions.create(model=MODEL, messages=asked, stream=True)
    said = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
    asked += [
        {"role": "assistant", "content": said},
        {"role": "user", "content": "Third, with responses."},
    ]
    print("openai", client.responses.create(model=MODEL, input=asked).output_text)


def ask_with_anthropic() -> None:
    client = anthropic.Anthropic(default_headers=HEADERS)
    asked = [{"role": "user", "content": "Hello, with messages."}]
    whole = client.messages.create(model=MODEL, max_tokens=50, messages=asked)
    asked += [
        {"role": "assistant", "content": whole.content},
        {"role": "user", "content": "And as a stream."},
    ]
    with client.messages.stream(model=MODEL, max_tokens=50, messages=asked) as stream:
        print("anthropic", stream.get_final_text())
    print("tokens", client.messages.count_tokens(model=MODEL, messages=asked).input_tokens > 0)


ask_with_openai()
ask_with_anthropic()
