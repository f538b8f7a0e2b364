"""The engine process: reads a task from standard input, trains it, and reports on standard output."""

import json
import os
import sys
import traceback

from drydock_trainer.engine.channel import PipeChannel
from drydock_trainer.engine.task import Task
from drydock_trainer.errors import JobError


def main() -> int:
    """Train the task; every failure is reported before the process ends."""
    channel = PipeChannel()
    os.environ |= {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    try:
        task = Task.from_json(channel.task)
        overrides = json.loads(os.environ.get("DRYDOCK_TRAINER_PLAN", "{}"))
        from drydock_trainer.engine.local import train

        train(task, channel, **overrides)
    except JobError as error:
        channel.error(error.kind, error.message, error.field)
    except MemoryError:
        channel.error("out_of_memory", _memory_advice("The machine"), None)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        if type(error).__name__ == "OutOfMemoryError":
            channel.error("out_of_memory", _memory_advice("The GPU"), None)
        else:
            text = f"The engine failed: {type(error).__name__}: {str(error)[:500]}"
            channel.error("error", f"{text}. The trainer's own log has the details.", None)
    return 0


def _memory_advice(what: str) -> str:
    return (
        f"{what} has too little memory for this job. "
        "Lower config.max_sequence_length or config.lora_rank, or train a smaller model."
    )


if __name__ == "__main__":
    sys.exit(main())
