"""An evaluation dataset may hold trajectories, as a dataset of sessions does."""

import json
from typing import Any

from drydock_trainer.preparation.prepare import _to_samples


def test_eval_rows_with_a_document_are_trajectories() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    row = {"session_id": "x", "trajectory": json.dumps({"messages": messages, "tools": [], "metadata": {}})}
    assert _to_samples("eval", row) == _to_samples("trajectories", row)
    assert _to_samples("eval", {"messages": messages}) == _to_samples("train", {"messages": messages})
