/** The records that a reflection reads, one for each example: its input, the answer, the feedback and, for agents, the steps. */
import { listOutputs, type SampleOutput } from '../../evaluations/service.ts';
import type { ReflectionRecord } from '../../platform/optimizer/ports.ts';
import { readTurns } from '../../sessions/service.ts';
import type { Example } from '../stored-job.ts';
import { type BatchRequest, loadExamples, type ScoredBatch } from './batches.ts';
import { creatorScope, type JobContext } from './context.ts';

/** How many of the last steps of an agent are shown, and how many characters of each. */
const MAX_STEPS = 20;
const MAX_STEP_CHARACTERS = 500;
const MAX_OUTPUT_CHARACTERS = 2_000;

export async function toRecords(
  context: JobContext,
  request: Pick<BatchRequest, 'split' | 'ids'>,
  { evaluationId, samples, scores }: ScoredBatch,
): Promise<ReflectionRecord[]> {
  const examples = await loadExamples(context, request);
  const { organizationId } = context.work;
  const outputs = await listOutputs(context.tools.db, { organizationId, id: evaluationId });
  return Promise.all(
    examples.map((example, index) =>
      toRecord(context, example, {
        output: outputs[index],
        error: samples[index]?.error ?? null,
        score: scores[index] ?? 0,
      }),
    ),
  );
}

interface SampleResult {
  readonly output: SampleOutput | undefined;
  readonly error: string | null;
  readonly score: number;
}

async function toRecord(
  context: JobContext,
  { task, row }: Example,
  result: SampleResult,
): Promise<ReflectionRecord> {
  const { config } = context.job.request;
  const { answer = null, sessionId = null } = result.output ?? {};
  const hasSandbox = context.job.target_kind === 'capability_env';
  const steps =
    config.capture_traces && hasSandbox && sessionId !== null ? await listSteps(context, sessionId) : [];
  return {
    Inputs: task?.details.instruction ?? row?.input ?? '',
    ...(steps.length > 0 && { Steps: steps }),
    ...(config.include_outputs && { 'Generated Outputs': answer ?? '' }),
    Feedback: toFeedback(result, {
      expected: row?.columns['expected_output'],
      hasErrors: config.include_errors,
    }),
  };
}

function toFeedback(
  { output: given, error, score }: SampleResult,
  { expected, hasErrors }: { readonly expected: string | undefined; readonly hasErrors: boolean },
): string {
  const { verification = null } = given ?? {};
  const output = verification ? `${verification.stdout}\n${verification.stderr}`.trim() : '';
  return [
    `Score: ${score}`,
    ...(expected === undefined ? [] : [`Expected output: ${expected}`]),
    ...(output === '' ? [] : [`Output of the verification:\n${output.slice(-MAX_OUTPUT_CHARACTERS)}`]),
    ...(hasErrors && error !== null ? [`Error: ${error}`] : []),
  ].join('\n');
}

async function listSteps(context: JobContext, sessionId: string): Promise<string[]> {
  const steps: string[] = [];
  const scope = await creatorScope(context);
  for await (const turn of readTurns(context.tools.db, scope, sessionId)) {
    if (turn.kind === 'prompt' || turn.kind === 'compaction' || turn.kind === 'orphan') continue;
    const { message, results } = turn;
    if (message.role !== 'assistant') continue;
    const calls = (message.tool_calls ?? []).map(({ name, arguments: given }) => `${name} ${toText(given)}`);
    const lines = [message.content, ...calls].filter((text) => text.trim() !== '').join('\n');
    steps.push(cut(lines), ...results.map(({ content }) => `→ ${cut(content)}`));
  }
  return steps.slice(-MAX_STEPS);
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const cut = (text: string) =>
  text.length <= MAX_STEP_CHARACTERS ? text : `${text.slice(0, MAX_STEP_CHARACTERS).toWellFormed()}…`;
