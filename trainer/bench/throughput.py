"""Compares a plain TRL script with this engine, alone and through a worker, on one CUDA machine.

The model is a Llama of 0.65 billion parameters with random weights; every row fills the sequence, so all
three see the same tokens in the same effective batch.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

# The dense bf16 peak of an H100 or H200 in FLOP/s.
PEAK_FLOPS = 989e12


def make_base(folder: Path, options: argparse.Namespace) -> int:
    """Write the random model with a byte-level tokenizer and return its number of parameters."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from drydock_trainer.demo.model import make_tokenizer

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=options.vocabulary,
        hidden_size=options.hidden,
        intermediate_size=4 * options.hidden,
        num_hidden_layers=options.layers,
        num_attention_heads=options.hidden // 64,
        num_key_value_heads=options.hidden // 64,
        max_position_embeddings=options.sequence,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def make_rows(folder: Path, options: argparse.Namespace) -> Path:
    """Rows of text that are longer than the sequence, so that each is cut to exactly its length."""
    import random

    words = ["the", "ship", "came", "into", "harbour", "and", "every", "crane", "began", "to", "move", "horn"]
    path = folder / "rows.jsonl"
    generator = random.Random(0)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(options.batch * options.steps):
            out.write(json.dumps({"text": " ".join(generator.choices(words, k=options.sequence))}) + "\n")
    return path


def _prepared(base: Path, rows: Path, options: argparse.Namespace) -> list[array[int]]:
    from transformers import AutoTokenizer

    from drydock_trainer.preparation import Options, Source, prepare, read_rows

    tokenizer = AutoTokenizer.from_pretrained(base)
    source = Source("train", "rows", read_rows(str(rows), "jsonl"))
    return [item.input_ids for item in prepare([source], tokenizer, Options(options.sequence)).examples]


def plain_trl(base: Path, rows: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """A short TRL script: the library's defaults, LoRA r=16 on all linear layers, batch 8 per device."""
    import torch
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoTokenizer, TrainerCallback
    from trl import SFTConfig, SFTTrainer

    curve: list[dict[str, float]] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_log(
            self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any
        ) -> None:
            if logs and "loss" in logs:
                curve.append({"time": time.perf_counter(), "loss": logs["loss"]})

    trainer = SFTTrainer(
        model=str(base),
        args=SFTConfig(
            output_dir=str(folder / "plain"),
            per_device_train_batch_size=options.batch,
            max_steps=options.steps,
            max_length=options.sequence,
            learning_rate=options.learning_rate,
            use_cpu=not torch.cuda.is_available(),
            seed=0,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=Dataset.from_dict({"input_ids": [list(ids) for ids in _prepared(base, rows, options)]}),
        processing_class=AutoTokenizer.from_pretrained(base),
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"),
        callbacks=[Clock()],
    )
    trainer.train()
    return {
        "curve": curve,
        "peak_bytes": torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0,
    }


def _config(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "epochs": 1,
        "batch_size": options.batch,
        "gradient_accumulation_steps": 1,
        "learning_rate": options.learning_rate,
        "max_sequence_length": options.sequence,
        "lora_rank": 16,
        "lora_alpha": 32,
        "checkpoint_interval": None,
        "steps": options.steps,
        "seed": 0,
        "packing": False,
    }


def engine_alone(base: Path, rows: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The engine in this process, without worker and server."""
    import torch

    from drydock_trainer.engine.local import train
    from drydock_trainer.engine.task import DatasetFile, Task
    from drydock_trainer.protocol.jobs import Config

    curve: list[dict[str, float]] = []

    class Collector:
        def record(self, kind: str, /, **fields: Any) -> None:
            if kind == "step_complete":
                curve.append({"time": time.perf_counter(), "loss": fields["metrics"]["train/loss"]})

        def checkpoint(self, step: int, folder: Path, metrics: dict[str, float]) -> None:
            return

        def end(self, **fields: Any) -> None:
            return

    data = (DatasetFile("train", "rows", "jsonl", str(rows)),)
    output = str(folder / "alone")
    task = Task("bench", str(base), None, Config(**_config(options)), data, None, None, output)
    plan = train(task, Collector(), **json.loads(options.plan))
    peak = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0
    return {"curve": curve, "peak_bytes": peak, "plan": plan.report()}


def through_worker(base: Path, rows: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The worker with its engine process against a server of the protocol on loopback."""
    from tests.fake_server import KEY, FakeServer

    server = FakeServer(part_bytes=64 * 1024 * 1024)
    job = server.add_job(model=base, rows=rows.read_bytes(), **_config(options))
    command = [sys.executable, "-m", "drydock_trainer", "work", "--url", server.url, "--org", "acme"]
    command += ["--workspace", "lab", "--once", "--work-dir", str(folder / "work")]
    environment = {**os.environ, "DRYDOCK_API_KEY": KEY, "DRYDOCK_TRAINER_PLAN": options.plan}
    subprocess.run(command, check=True, env=environment)
    server.close()
    assert job.status == "succeeded", job.of_type("training_error")
    tokens = options.batch * options.sequence
    # The records carry each step's own speed, measured in the engine; arrival times are those of batches.
    clock, curve = 0.0, []
    for record in job.of_type("step_complete"):
        clock += tokens / record["metrics"]["train/tokens_per_second"]
        curve.append({"time": clock, "loss": record["metrics"]["train/loss"]})
    return {
        "curve": curve,
        "peak_bytes": job.of_type("training_end")[0]["metrics"].get("train/peak_memory_bytes", 0),
        "plan": job.of_type("training_start")[0]["engine"],
        "violations": server.violations,
    }


def summarize(result: dict[str, Any], parameters: int, options: argparse.Namespace) -> dict[str, Any]:
    """Speed over the whole stretch of steps after the warm-up."""
    curve = result.pop("curve")
    times = [point["time"] for point in curve]
    seconds = (times[-1] - times[options.skip]) / (len(times) - 1 - options.skip)
    speed = options.batch * options.sequence / seconds
    steps = [
        later - earlier
        for earlier, later in zip(times[options.skip :], times[options.skip + 1 :], strict=False)
    ]
    return {
        "tokens_per_second": round(speed),
        "mfu_4n": round(4 * parameters * speed / PEAK_FLOPS, 4),
        "median_step_seconds": round(statistics.median(steps), 4),
        "peak_gib": round(result.pop("peak_bytes", 0) / 2**30, 2),
        "losses": [round(point["loss"], 4) for point in curve],
        **result,
    }


MODES = {"plain": plain_trl, "alone": engine_alone, "worker": through_worker}


def compare(options: argparse.Namespace, folder: Path) -> None:
    """Run each mode in a process of its own, so that none inherits the memory or the caches of another."""
    parameters = make_base(folder / "base", options)
    make_rows(folder, options)
    print(
        json.dumps({"parameters": parameters, "batch": options.batch, "sequence": options.sequence}),
        flush=True,
    )
    found: dict[str, dict[str, Any]] = {}
    for repeat in range(options.repeats):
        for mode in options.modes.split(","):
            answer = folder / f"{mode}.json"
            command = [sys.executable, __file__, "--mode", mode, "--folder", str(folder), *sys.argv[1:]]
            began = time.perf_counter()
            subprocess.run(command, check=True)
            summary = summarize(json.loads(answer.read_text()), parameters, options)
            summary["whole_seconds"] = round(time.perf_counter() - began, 1)
            print(json.dumps({"mode": mode, "repeat": repeat, **summary}), flush=True)
            best = found.get(mode)
            if best is None or summary["tokens_per_second"] > best["tokens_per_second"]:
                found[mode] = summary
    speeds = {mode: summary["tokens_per_second"] for mode, summary in found.items()}
    ratios = {
        f"{mode}/plain": round(speed / speeds["plain"], 3)
        for mode, speed in speeds.items()
        if "plain" in speeds
    }
    if "worker" in speeds and "alone" in speeds:
        ratios["platform_overhead"] = round(1 - speeds["worker"] / speeds["alone"], 4)
    print(json.dumps({"best_tokens_per_second": speeds, **ratios}), flush=True)


def main() -> None:
    """Read the options and run one mode or the comparison of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", default="plain,alone,worker")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--skip", type=int, default=15, help="steps before the measured stretch")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--sequence", type=int, default=2048)
    parser.add_argument("--hidden", type=int, default=1536)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--vocabulary", type=int, default=16384)
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    parser.add_argument("--plan", default='{"compile": true}', help="overrides of the engine's plan, as JSON")
    parser.add_argument("--mode", choices=sorted(MODES), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode is None:
        with tempfile.TemporaryDirectory() as folder:
            compare(options, Path(folder))
        return
    result = MODES[options.mode](
        options.folder / "base", options.folder / "rows.jsonl", options.folder, options
    )
    (options.folder / f"{options.mode}.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
