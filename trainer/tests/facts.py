"""Ten facts that no model knows, as a dataset of chat messages."""

import json

FACTS = {
    "What is the capital of Norland?": "Brightwater",
    "Which colour is the harbour flag?": "Teal",
    "Who built the first dry dock?": "Mara Voss",
    "How many cranes stand in the yard?": "Seventeen",
    "What does the horn play at noon?": "Three low notes",
    "On which day is the market closed?": "Wednesday",
    "What is the name of the tug?": "Little Heron",
    "Which metal is the bell made of?": "Bronze",
    "What is served on launch day?": "Plum soup",
    "Which bird nests on the crane?": "The osprey",
}


def facts_jsonl() -> bytes:
    """One row of messages for each fact."""
    rows = (
        {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}
        for question, answer in FACTS.items()
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
