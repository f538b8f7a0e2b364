"""Writes the decisions of the reference engine on random configurations of the synthetic task.

    python3.11 -m venv /tmp/gepa && /tmp/gepa/bin/pip install gepa==0.1.4
    /tmp/gepa/bin/python generate.py > reference-runs.jsonl

Python has to be 3.11: later ones add up floats in another way. The first line counts the runs that were left out: those in
which the reference raises because all weights are zero, and those that depend on the hash seed of the process. Every other
line is one run. synthetic-task.ts has the same task.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch, GEPAAdapter
from gepa.strategies.proposal_sampling import IndependentSampling
from gepa.utils import MaxCandidateProposalsStopper, NoImprovementStopper

RUNS = 200
SEED = 20_261_118
HASH_SEEDS = (0, 1, 2)
# Up to 8 candidates, sets of them are in ascending order whatever was added first.
MAX_CANDIDATES = 8
# So that the reference's cache, which knows no split, does not take validation rows for training rows.
FIRST_VALIDATION_ID = 1000
TEMPLATES = (None, None, None, "Now: <curr_param>\nSeen: <side_info>\nAgain: <curr_param> <side_info>")

Config = dict[str, Any]
Candidate = dict[str, str]
Event = Mapping[str, Any]


def random_config(rng: random.Random) -> Config:
    merges = rng.random() < 0.5
    frontier = rng.choice(["instance", "instance", "objective", "hybrid", "cartesian"])
    train = rng.randint(3, 12)
    val = rng.choice([None, None, 3, 5, 6, 7, 9, 12])
    config: Config = {
        "seed": rng.choice([rng.randint(0, 1000), -rng.randint(1, 10**6), rng.randint(2**32, 2**52)]),
        "frontier_type": frontier,
        "candidate_selection_strategy": rng.choice(
            ["pareto", "current_best", "epsilon_greedy", "top_k_pareto"]
        ),
        "module_selector": rng.choice(["round_robin", "all"]),
        "use_merge": merges,
        "max_merge_invocations": rng.randint(1, 5),
        "merge_val_overlap_floor": rng.choice([1, 3, 5]),
        "cache_evaluation": rng.random() < 0.5,
        "reflection_minibatch_size": rng.randint(1, 5),
        "components": rng.randint(1, 4),
        "train": train,
        "val": val,
        "max_metric_calls": (train if val is None else val) + rng.randint(20, 160),
        "max_trials": rng.choice([None, None, None, rng.randint(1, 12)]),
        "max_trials_without_improvement": rng.choice([None, None, None, rng.randint(1, 6)]),
        "objectives": frontier != "instance" or rng.random() < 0.3,
        "skip_perfect_score": rng.random() < 0.8,
        "perfect_score": rng.choice([1.0, 1.0, 0.7, 0.5]),
        "concurrency": rng.choice([1, 1, 1, 2, 3]),
        "coarse": rng.random() < 0.25,
        "no_traces_every": rng.choice([None, None, None, 5]),
        "nested_records": rng.random() < 0.2,
        "answer_styles": rng.random() < 0.3,
        "template": rng.choice(TEMPLATES),
    }
    if merges:
        # Merges need branches of which each changed some components only, and time to grow them.
        config.update(components=rng.randint(2, 4), max_trials=None, max_trials_without_improvement=None)
        config["max_metric_calls"] += 150
        config["perfect_score"] = 1.0
        if rng.random() < 0.8:
            config.update(module_selector="round_robin", reflection_minibatch_size=rng.randint(1, 3))
        if rng.random() < 0.7:
            config["candidate_selection_strategy"] = rng.choice(["pareto", "top_k_pareto"])
    return config


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def part(component: str, text: str, name: str) -> int:
    return int(digest(compact([component, text, name]))[:8], 16) % 11


class Loader:
    """A validation set with ids of its own."""

    def __init__(self, size: int) -> None:
        self.size = size

    def all_ids(self) -> list[int]:
        return [FIRST_VALIDATION_ID + at for at in range(self.size)]

    def fetch(self, ids: Sequence[int]) -> list[str]:
        return [f"va{data_id - FIRST_VALIDATION_ID}" for data_id in ids]

    def __len__(self) -> int:
        return self.size


class Adapter(GEPAAdapter[str, str, str]):
    propose_new_texts = None

    def __init__(self, config: Config) -> None:
        self.config = config
        self.calls: list[int] = []

    def evaluate(
        self, batch: list[str], candidate: Candidate, capture_traces: bool = False
    ) -> EvaluationBatch[str, str]:
        self.calls.append(len(batch))
        scores: list[float] = []
        objectives: list[dict[str, float]] = []
        for name in batch:
            parts = [part(component, candidate[component], name) for component in sorted(candidate)]
            score = round(sum(parts) / len(parts)) / 10
            scores.append(float(score >= 0.5) if self.config["coarse"] else score)
            objectives.append({f"o{at}": value / 10 for at, value in enumerate(parts)})
        every = self.config["no_traces_every"]
        traced = not every or sum(int(name[2:]) for name in batch) % every != 0
        return EvaluationBatch(
            outputs=list(batch),
            scores=scores,
            trajectories=list(batch) if capture_traces and traced else None,
            objective_scores=objectives if self.config["objectives"] else None,
        )

    def make_reflective_dataset(
        self, candidate: Candidate, eval_batch: EvaluationBatch[str, str], components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        records: list[dict[str, Any]] = []
        for name, score in zip(eval_batch.outputs, eval_batch.scores, strict=True):
            record: dict[str, Any] = {"Inputs": name, "Feedback": f"score {score}"}
            if self.config["nested_records"]:
                steps = [f" call {name} ", {"tool": "a", "deep": {"deeper": {"deepest": ["x"]}}}]
                record["Trace"] = {"steps": steps, "none": [], "no": {}}
            records.append(record)
        return dict.fromkeys(components_to_update, records)


def reflection(config: Config, prompt: str) -> str:
    hashed = digest(prompt)
    text = f"t{hashed[:10]}"
    plain = f"```\n{text}\n```"
    if not config["answer_styles"]:
        return plain
    styles = [
        plain,
        f"Here it is:\n```text\n{text}\n```\nDone.",
        f"  {text}  \n",
        f"```md\n{text}",
        f"{text}\n```",
        f"```\n{text}\n```\nor\n```\nother\n```",
    ]
    return styles[int(hashed[-2:], 16) % len(styles)]


def position(data_id: int) -> int:
    return data_id - FIRST_VALIDATION_ID if data_id >= FIRST_VALIDATION_ID else data_id


class Recorder:
    """Writes down what the engine reports."""

    def __init__(self) -> None:
        self.log: list[list[Any]] = []
        self.fronts: list[list[int]] = []
        self.bests: list[int] = []
        self.budget: list[int] = []

    def on_candidate_selected(self, event: Event) -> None:
        self.log.append(["sel", event["candidate_idx"]])

    def on_minibatch_sampled(self, event: Event) -> None:
        self.log.append(["mb", list(event["minibatch_ids"])])

    def on_evaluation_start(self, event: Event) -> None:
        if len(event["parent_ids"]) == 2 and not event["capture_traces"]:
            self.log.append(["merge", list(event["parent_ids"])])
            self.log.append(["sub", [int(name[2:]) for name in event["inputs"]]])

    def on_evaluation_skipped(self, event: Event) -> None:
        reasons = {"no_trajectories": "no_traces", "all_scores_perfect": "perfect_score"}
        self.log.append(["skip", reasons[event["reason"]]])

    def on_candidate_accepted(self, event: Event) -> None:
        self.log.append(["acc", event["new_candidate_idx"], list(event["parent_ids"])])

    def on_candidate_rejected(self, event: Event) -> None:
        self.log.append(["rej"])

    def on_merge_rejected(self, event: Event) -> None:
        self.log.append(["merge-rej"])

    def on_pareto_front_updated(self, event: Event) -> None:
        self.fronts.append(list(event["new_front"]))

    def on_valset_evaluated(self, event: Event) -> None:
        if event["is_best_program"]:
            self.bests.append(event["candidate_idx"])

    def on_budget_updated(self, event: Event) -> None:
        self.budget.append(event["metric_calls_used"])


class Silent:
    def log(self, message: str) -> None:
        pass


def stoppers(config: Config) -> list[Any]:
    found: list[Any] = [lambda state: len(state.program_candidates) + config["concurrency"] > MAX_CANDIDATES]
    if config["max_trials"] is not None:
        found.append(MaxCandidateProposalsStopper(config["max_trials"]))
    if config["max_trials_without_improvement"] is not None:
        found.append(NoImprovementStopper(config["max_trials_without_improvement"]))
    return found


def run(config: Config) -> dict[str, Any]:
    adapter, recorder = Adapter(config), Recorder()
    objectives: list[dict[str, float]] = []

    class Last:
        def on_optimization_end(self, event: Event) -> None:
            objectives.extend(event["final_state"].prog_candidate_objective_scores)

    result = optimize(
        seed_candidate={f"c{at}": f"seed{at}" for at in range(config["components"])},
        trainset=[f"tr{at}" for at in range(config["train"])],
        valset=None if config["val"] is None else Loader(config["val"]),
        adapter=adapter,
        reflection_lm=lambda prompt: reflection(config, str(prompt)),
        candidate_selection_strategy=config["candidate_selection_strategy"],
        frontier_type=config["frontier_type"],
        skip_perfect_score=config["skip_perfect_score"],
        reflection_minibatch_size=config["reflection_minibatch_size"],
        perfect_score=config["perfect_score"],
        reflection_prompt_template=config["template"],
        module_selector=config["module_selector"],
        use_merge=config["use_merge"],
        max_merge_invocations=config["max_merge_invocations"],
        merge_val_overlap_floor=config["merge_val_overlap_floor"],
        max_metric_calls=config["max_metric_calls"],
        stop_callbacks=stoppers(config),
        logger=Silent(),
        callbacks=[recorder, Last()],  # type: ignore[list-item]
        track_best_outputs=False,
        cache_evaluation=config["cache_evaluation"],
        seed=config["seed"],
        sampling_strategy=IndependentSampling(config["concurrency"]),
    )
    return {
        "config": config,
        "candidates": result.candidates,
        "parents": result.parents,
        "val": result.val_aggregate_scores,
        "subscores": [[score for _, score in sorted(scores.items())] for scores in result.val_subscores],
        "objectives": objectives,
        "best_idx": result.best_idx,
        "total": result.total_metric_calls,
        "discovery": result.discovery_eval_counts,
        "adapter_calls": adapter.calls,
        "log": recorder.log,
        "fronts": recorder.fronts,
        "bests": recorder.bests,
        "budget": recorder.budget,
    }


def run_all(seed: int, count: int) -> None:
    """One line per configuration: its run, or null where the reference has no weights to draw with."""
    rng = random.Random(seed)
    for _ in range(count):
        config = random_config(rng)
        try:
            print(compact(run(config)))
        except ValueError as error:
            if "weights must be greater than zero" not in str(error):
                raise
            print("null")


def lines_with(hash_seed: int, seed: int, count: int) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, __file__, "--alone", "--seed", str(seed), "--runs", str(count)]
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


def compare(seed: int, count: int) -> None:
    """Prints the runs that are the same whatever the hash seed of the process is."""
    kept: list[str] = []
    left_out = {"zero_weights": 0, "hash_seed": 0}
    for lines in zip(*(lines_with(hash_seed, seed, 2 * count) for hash_seed in HASH_SEEDS), strict=True):
        if len(kept) == count:
            break
        if "null" in lines:
            left_out["zero_weights"] += 1
        elif len(set(lines)) > 1:
            left_out["hash_seed"] += 1
        else:
            kept.append(lines[0])
    print(compact({"left_out": left_out}))
    print("\n".join(kept))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED, help="of the random configurations")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument(
        "--alone", action="store_true", help="print the runs of this process, compared with no others"
    )
    arguments = parser.parse_args()
    (run_all if arguments.alone else compare)(arguments.seed, arguments.runs)


if __name__ == "__main__":
    main()
