"""What is installed on this machine, found without importing torch."""

import json
import os
import platform
import shutil
import subprocess
from importlib import metadata
from typing import Any

from drydock_trainer import __version__

LIBRARIES = ("torch", "transformers", "peft", "trl", "accelerate", "datasets", "tokenizers", "flash-attn")
REQUIRED = ("torch", "transformers", "peft", "trl", "accelerate", "datasets")


def libraries() -> dict[str, str]:
    """Versions of the installed libraries that decide over results."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _gpu_memory_bytes() -> int | None:
    """Memory of the NVIDIA GPU that the engine trains on, as the driver tells it; None without one."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    command = [tool, "--query-gpu=index,uuid,memory.total", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (subprocess.SubprocessError, OSError):
        return None
    # The engine uses the first GPU that CUDA shows it; the driver lists all of the machine.
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    first = None if visible is None else visible.split(",")[0].strip()
    for line in answer.stdout.splitlines():
        index, uuid, memory = (part.strip() for part in line.split(","))
        if memory.isdigit() and (first is None or first == index or (first and uuid.startswith(first))):
            return int(memory) * 1024 * 1024
    return None


def resources() -> dict[str, Any]:
    """What the engine trains on, as a claim describes it."""
    gpu = _gpu_memory_bytes()
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "device": "cpu" if gpu is None else "cuda",
        "memory_bytes": machine if gpu is None else gpu,
        "python": platform.python_version(),
        "libraries": libraries(),
    }


def report() -> str:
    """The whole of it as JSON, with what is missing."""
    found = resources()
    missing = [name for name in REQUIRED if name not in found["libraries"]]
    return json.dumps({"trainer": __version__, "ready": not missing, "missing": missing, **found}, indent=2)
