/** Evaluates a program as the agent: a few lines of bash that call a model from a sandbox with a closed network, without a key. */
import type { Drydock } from '../../sdk/src/drydock.ts';
import { linkTo, say, waitFor } from './output.ts';
import { publish, VERSION, WHERE } from './publish.ts';

const MODEL = 'sim/instructed';
const SUMS = [
  [6, 36],
  [20, 22],
  [17, 25],
] as const;

/** The answer is the last response of the model, which the gateway has recorded: the program does not have to read it. */
const PROGRAM = `curl -sS --fail-with-body "$OPENAI_BASE_URL/chat/completions" -H 'Content-Type: application/json' -d @- <<END
{"model": "$DRYDOCK_MODEL", "messages": [
  {"role": "system", "content": "Answer with the result only."},
  {"role": "user", "content": "$(cat "$DRYDOCK_INSTRUCTION_FILE")"}]}
END`;

export interface ProgramResult {
  readonly passed: number;
  readonly total: number;
  /** The recorded messages of one sample, each with its role. */
  readonly transcript: readonly string[];
}

export async function demonstrateProgram(drydock: Drydock): Promise<ProgramResult> {
  const names = SUMS.map((_, index) => `harbour-sum-${index + 1}`);
  for (const [index, [a, b]] of SUMS.entries())
    await publishSum(drydock, names[index] ?? '', { question: `What is ${a} + ${b}?`, answer: `${a + b}` });
  const { id: evaluation_id } = await drydock.evaluations.create(WHERE, {
    name: 'a program as the agent',
    model: MODEL,
    task_names: names,
    agent: { command: PROGRAM },
    concurrency: SUMS.length,
  });
  const where = { ...WHERE, evaluation_id };
  const { passed_count, total_samples } = await waitFor(
    () => drydock.evaluations.get(where),
    ({ passed_count: passed, total_samples: total }) => `   ${passed} of ${total} samples passed`,
  );
  const { items } = await drydock.evaluationItems.list(where);
  const [item] = items;
  if (!item) throw new Error('The evaluation of the demo has no sample.');
  const { messages } = await drydock.evaluationItems.transcript({ ...where, item_id: item.id });
  const transcript = messages.map(({ role, content }) => `${role}: ${content}`);
  say('   Program     curl in a sandbox with a closed network; the gateway needs no key');
  for (const line of transcript) say(`   Recorded    ${line}`);
  say('   Transcript  with the verification, at');
  linkTo(`evaluations/${evaluation_id}/samples/${item.id}`);
  return { passed: passed_count, total: total_samples, transcript };
}

async function publishSum(
  drydock: Drydock,
  name: string,
  { question, answer }: { readonly question: string; readonly answer: string },
): Promise<void> {
  await publish(drydock.tasks, {
    name,
    manifest: {
      name,
      version: VERSION,
      instruction: question,
      verification: { method: 'exact', expected: answer },
    },
    files: {},
  });
}
