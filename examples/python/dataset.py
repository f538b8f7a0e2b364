"""Publishes a dataset and reads the rows that match a search."""

import json

from platform_api import call, publish

rows = [
    {"question": "Capital of Norway?", "answer": "Oslo"},
    {"question": "Capital of Peru?", "answer": "Lima"},
]
published = publish(
    "/datasets/example-capitals-py",
    {
        "dataset.yaml": "summary: Capitals of countries\nlicense: cc0-1.0\n",
        "train.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
    },
)
print(published["name"], published["row_count"])  # → main/example-capitals-py 2

found = call("GET", "/datasets/example-capitals-py/1.0.0/rows?search=peru")
print([row["answer"] for row in found["rows"]])  # → ['Lima']
