"""The command `drydock-trainer`."""

import argparse
import logging
import os
import socket
import sys
from pathlib import Path

from drydock_trainer import __version__

DEFAULT_CACHE_GIB = 50


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="drydock-trainer", description="Trains and serves models for Drydock."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)

    work = commands.add_parser("work", help="claim and train jobs; the key comes from DRYDOCK_API_KEY")
    work.add_argument("--url", required=True, help="address of the server, e.g. https://drydock.example.com")
    work.add_argument("--org", required=True, help="organization")
    work.add_argument("--workspace", required=True, help="workspace")
    work.add_argument(
        "--name", default=socket.gethostname(), help="name of this worker (default: the host's)"
    )
    work.add_argument("--once", action="store_true", help="exit after one job")
    work.add_argument("--idle-exit", type=float, metavar="SECONDS", help="exit after this long without a job")
    work.add_argument(
        "--work-dir", type=Path, default=Path("~/.cache/drydock-trainer"), help="folder for files"
    )
    work.add_argument(
        "--cache-gib", type=float, default=DEFAULT_CACHE_GIB, help="bound of the download cache"
    )

    serve = commands.add_parser("serve", help="answer chat completions with a model, over a unix socket")
    serve.add_argument("--model", type=Path, required=True, help="folder of a model or an adapter")
    serve.add_argument("--base", type=Path, help="folder of the adapter's base model")
    serve.add_argument("--socket", type=Path, required=True, help="path of the unix socket")
    serve.add_argument(
        "--idle-exit", type=float, metavar="SECONDS", help="exit after this long without a request"
    )

    demo = commands.add_parser("demo-model", help="make a tiny base model")
    demo.add_argument("--out", type=Path, required=True, help="folder to write")

    commands.add_parser("doctor", help="print what is installed, as JSON")
    return parser


def _work(options: argparse.Namespace) -> int:
    from drydock_trainer.protocol.http import Api, HttpError
    from drydock_trainer.worker import Settings, Worker

    key = os.environ.get("DRYDOCK_API_KEY")
    if not key:
        print("DRYDOCK_API_KEY is not set. Set it to a key with the scope training:work.", file=sys.stderr)
        return 2
    settings = Settings(
        name=options.name,
        work_dir=options.work_dir.expanduser().absolute(),
        cache_bytes=int(options.cache_gib * 2**30),
        once=options.once,
        idle_exit_seconds=options.idle_exit,
    )
    worker = Worker(Api(options.url, options.org, options.workspace, key), settings)
    worker.stop_at_signal()
    try:
        worker.run()
    except HttpError as error:
        print(f"{error}. Check --url, --org, --workspace and the key.", file=sys.stderr)
        return 1
    return 0


def _serve(options: argparse.Namespace) -> int:
    from drydock_trainer.serving.server import serve

    return serve(options.model, options.base, options.socket, options.idle_exit)


def _demo_model(options: argparse.Namespace) -> int:
    from drydock_trainer.demo.model import make_demo_model

    make_demo_model(options.out)
    print(f"Wrote a tiny base model to {options.out}.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    if options.command == "work":
        return _work(options)
    if options.command == "serve":
        return _serve(options)
    if options.command == "demo-model":
        return _demo_model(options)
    from drydock_trainer import doctor

    print(doctor.report())
    return 0
