"""Workers as processes of their own, as they run in production."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.fake_server import KEY, FakeServer

ROOT = Path(__file__).resolve().parent.parent


def environment() -> dict[str, str]:
    """One thread per process: the runs stay equal, and the tests leave the machine to others."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "DRYDOCK_API_KEY": KEY,
    }


def start_worker(server: FakeServer, work_dir: Path, *more: str) -> subprocess.Popen[bytes]:
    """Start `drydock-trainer work` against the protocol server."""
    command = [sys.executable, "-m", "drydock_trainer", "work", "--url", server.url, "--org", "acme"]
    command += ["--workspace", "lab", "--work-dir", str(work_dir), *more]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL)


def run_worker(server: FakeServer, work_dir: Path) -> None:
    """Run one job to its end."""
    worker = start_worker(server, work_dir, "--once")
    assert worker.wait(600) == 0


def kill(worker: subprocess.Popen[bytes]) -> None:
    """End a worker as a power cut would."""
    worker.send_signal(signal.SIGKILL)
    worker.wait()
