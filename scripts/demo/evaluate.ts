/** Evaluates small tasks with a simulated model that makes mistakes, and shows the results. */
import { SAMPLE_TASKS } from '../../console/src/evaluations/sample-tasks.ts';
import type { Drydock, EvaluationItem, EvaluationResponse } from '../../sdk/src/drydock.ts';
import { endProgress, percent, progress, say } from './output.ts';
import { publish, VERSION, WHERE } from './publish.ts';

const MODEL = 'sim/noisy-tool-user';
const POLL_MS = 250;

export async function demonstrateEvaluation(drydock: Drydock): Promise<void> {
  for (const { name, verify, ...task } of SAMPLE_TASKS) {
    const verification = { method: 'script', script: 'verify.sh' };
    const manifest = { name, version: VERSION, ...task, verification };
    await publish(drydock.tasks, { name, manifest, files: { 'verify.sh': verify } });
  }
  say(`Published ${SAMPLE_TASKS.length} tasks.`);
  const evaluation = await evaluate(drydock);
  await showResult(drydock, evaluation);
  const mine = { ...WHERE, evaluation_id: evaluation.id };
  const { items } = await drydock.evaluationItems.list(mine, { passed: false, page_size: 1 });
  if (items[0]) await showTranscript(drydock, evaluation, items[0]);
}

async function evaluate(drydock: Drydock): Promise<EvaluationResponse> {
  const { id, total_samples } = await drydock.evaluations.create(WHERE, {
    name: 'demo',
    model: MODEL,
    task_names: SAMPLE_TASKS.map(({ name }) => name),
    repetitions: 3,
    seed: 1,
  });
  say(`Evaluating ${MODEL}, which runs the commands of its instruction and gets some samples wrong:`);
  for (;;) {
    const evaluation = await drydock.evaluations.get({ ...WHERE, evaluation_id: id });
    const { passed_count, failed_count, error_count, status } = evaluation;
    progress(
      `  ${passed_count + failed_count + error_count} of ${total_samples} samples: ${passed_count} passed, ${failed_count} failed`,
    );
    if (status !== 'queued' && status !== 'running') {
      endProgress();
      return evaluation;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function showResult(drydock: Drydock, { id, total_samples }: EvaluationResponse): Promise<void> {
  const { pass_rate, pass_rate_interval, pass_at_k, cost_usd, tokens, durations_ms } =
    await drydock.evaluations.analytics({ ...WHERE, evaluation_id: id });
  const interval =
    pass_rate_interval &&
    ` (95 % interval ${percent(pass_rate_interval.low)} to ${percent(pass_rate_interval.high)})`;
  const rates = Object.entries(pass_at_k).map(([k, rate]) => `${k}: ${percent(rate)}`);
  say(`\nPass rate   ${percent(pass_rate ?? 0)}${interval ?? ''}, of ${total_samples} samples`);
  say(`pass@k      ${rates.join('  ')}`);
  say(
    `Cost        ${cost_usd.toFixed(4)} US dollars for ${tokens.input + tokens.output} tokens: simulated models are free`,
  );
  say(`Sample      ${Math.round(durations_ms.p50 ?? 0)} ms at the median, with its two sandboxes`);
}

async function showTranscript(
  drydock: Drydock,
  { id }: EvaluationResponse,
  item: EvaluationItem,
): Promise<void> {
  const { messages } = await drydock.evaluationItems.transcript({
    ...WHERE,
    evaluation_id: id,
    item_id: item.id,
  });
  say(`\nOne that failed, ${item.task_name} (sample ${item.sample}):`);
  for (const { role, content, tool_calls } of messages) {
    const calls = (tool_calls ?? []).map((call) => `${call.name} ${call.arguments}`);
    const lines = [content, ...calls].join('\n').trim().split('\n').filter(Boolean);
    say(`  ${role.padEnd(10)}${lines.join(`\n${' '.repeat(12)}`)}`);
  }
  const { verification } = item;
  if (verification)
    say(
      `  verified  exit code ${verification.exit_code}: ${(verification.stdout + verification.stderr).trim()}`,
    );
}
