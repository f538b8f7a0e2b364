/**
 * The same task in Inspect AI: an agent that runs one command in the local sandbox, with a mock model, and a scorer that checks its file.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMMAND } from './evaluation-client.ts';

const run = promisify(execFile);

interface InspectOptions {
  /** A Python that has the package inspect-ai. */
  readonly python: string | undefined;
  readonly samples: number;
  readonly concurrency: number;
  readonly folder: string;
}

/** @returns the seconds of all samples, without the start of Python; undefined if it is not installed */
export async function runInspect({
  python,
  samples,
  concurrency,
  folder,
}: InspectOptions): Promise<number | undefined> {
  if (python === undefined) return undefined;
  const file = join(folder, 'bench.py');
  writeFileSync(file, PROGRAM);
  const given = [file, String(samples), String(concurrency), COMMAND.replaceAll('/workspace/', '')];
  const { stdout } = await run(python, given, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  return Number(/^seconds (\S+)$/m.exec(stdout)?.[1]);
}

const PROGRAM = `
import sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import chain, generate, use_tools
from inspect_ai.tool import bash
from inspect_ai.util import sandbox

samples, concurrency, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

def respond(input, tools, tool_choice, config):
    usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    if input[-1].role == "tool":
        output = ModelOutput.from_content("mockllm/model", input[-1].text.strip().splitlines()[-1])
    else:
        output = ModelOutput.for_tool_call("mockllm/model", "bash", {"command": command})
    output.usage = usage
    return output

@scorer(metrics=[accuracy()])
def verify():
    async def score(state, target):
        result = await sandbox().exec(["bash", "-c", 'test "$(cat result.txt)" = 42'])
        return Score(value=1 if result.success else 0)
    return score

task = Task(
    dataset=[Sample(input=f"Run this: {command}", id=str(n)) for n in range(samples)],
    solver=chain(use_tools(bash(timeout=60)), generate()),
    scorer=verify(),
    sandbox="local",
)
model = get_model("mockllm/model", custom_outputs=respond)
began = time.perf_counter()
[log] = eval(task, model=model, max_samples=concurrency, max_sandboxes=concurrency, display="none", log_dir="logs")
print("seconds", time.perf_counter() - began)
assert log.status == "success", log.error.message
assert log.results.scores[0].metrics["accuracy"].value == 1
`;
