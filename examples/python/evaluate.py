"""Evaluates a model on a task set and prints the pass rate."""

from platform_api import WORKSPACE, call, publish_task, wait_for_end

names = ["example-red-py", "example-blue-py"]
for name in names:
    publish_task(name, name.split("-")[1])
call("POST", "/task-sets", {"name": "example-colours-py", "members": names}, accept=(409,))

evaluation = call(
    "POST",
    f"{WORKSPACE}/evaluation",
    {"name": "colours", "model": "sim/tool-user", "task_set": "example-colours-py", "repetitions": 2},
)
ended = wait_for_end(f"{WORKSPACE}/evaluation/{evaluation['id']}")
print(f"{ended['passed_count']} of {ended['total_samples']} samples passed")  # → 4 of 4 samples passed
print("pass rate:", ended["pass_rate"])  # → pass rate: 1
