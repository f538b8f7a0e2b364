/**
 * `npm run demo`: publishes small tasks, evaluates them with a simulated model that makes mistakes, and shows what came of it. It needs
 * no network and no provider, starts a server of its own in a temporary folder, and removes it at the end. With `--url` and `--key` it
 * uses a server that runs.
 */
import { parseArgs } from 'node:util';
import { SAMPLE_TASKS } from '../../console/src/evaluations/sample-tasks.ts';
import {
  Drydock,
  type EvaluationItem,
  type EvaluationResponse,
  isDrydockError,
} from '../../sdk/src/drydock.ts';
import { startServer } from './server.ts';

const WHERE = { org: 'main', workspace: 'main' };
const MODEL = 'sim/noisy-tool-user';
const LOOK_MS = 250;

const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
const began = performance.now();
let lastLine = '';
const server = values.url ? undefined : await startServer();
try {
  const baseUrl = values.url ?? server?.url ?? '';
  const apiKey = values.key ?? server?.key ?? process.env['DRYDOCK_API_KEY'] ?? '';
  await demonstrate(new Drydock({ baseUrl, apiKey }), baseUrl);
} catch (error) {
  if (!isDrydockError(error)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
} finally {
  await server?.stop();
}

async function demonstrate(drydock: Drydock, url: string): Promise<void> {
  for (const task of SAMPLE_TASKS) await publish(drydock, task);
  say(`Published ${SAMPLE_TASKS.length} tasks.`);
  const evaluation = await evaluate(drydock);
  const mine = { ...WHERE, evaluation_id: evaluation.id };
  const { pass_rate, pass_rate_interval, pass_at_k, cost_usd, tokens, durations_ms } =
    await drydock.evaluations.analytics(mine);
  const interval =
    pass_rate_interval &&
    ` (95 % interval ${percent(pass_rate_interval.low)} to ${percent(pass_rate_interval.high)})`;
  say(`\nPass rate   ${percent(pass_rate ?? 0)}${interval ?? ''}, of ${evaluation.total_samples} samples`);
  say(
    `pass@k      ${Object.entries(pass_at_k)
      .map(([k, rate]) => `${k}: ${percent(rate)}`)
      .join('  ')}`,
  );
  say(
    `Cost        ${cost_usd.toFixed(4)} US dollars for ${tokens.input + tokens.output} tokens: simulated models are free`,
  );
  say(`Sample      ${Math.round(durations_ms.p50 ?? 0)} ms at the median, with its two sandboxes`);
  const { items } = await drydock.evaluationItems.list(mine, { passed: false, page_size: 1 });
  if (items[0]) await showTranscript(drydock, evaluation, items[0]);
  say(`\nDone in ${((performance.now() - began) / 1_000).toFixed(1)} s. Where to look next:`);
  say(`  docs/guides/evaluate-an-agent.md   tasks, agents, verification, statistics`);
  say(
    server
      ? `  npm run up                         a server that stays; then npm run demo -- --url … --key dd_…`
      : `  ${url}/api/v1/docs`,
  );
}

type Task = (typeof SAMPLE_TASKS)[number];

async function publish(drydock: Drydock, { name, verify, ...task }: Task): Promise<void> {
  const version = '1.0.0';
  const file = new TextEncoder().encode(verify);
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', file)).toString('hex');
  const place = { org: WHERE.org, name, version };
  const manifest = { name, version, ...task, verification: { method: 'script', script: 'verify.sh' } };
  const files = [{ path: 'verify.sh', size_bytes: file.length, sha256 }];
  try {
    const upload = await drydock.tasks.createUpload(place, { manifest, files });
    for (const { url } of upload.files) if (url) await fetch(url, { method: 'PUT', body: file });
    await drydock.tasks.completeUpload(place);
  } catch (error) {
    // A server that has run the demo before has the tasks.
    if (!(isDrydockError(error) && error.status === 409)) throw error;
  }
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
      progress('', true);
      return evaluation;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
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

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}

function say(line: string): void {
  console.log(line);
}

/** One line that is written over at a terminal; elsewhere, only its last state is printed. */
function progress(line: string, isEnd = false): void {
  if (process.stdout.isTTY) process.stdout.write(isEnd ? '\n' : `\r${line}`);
  else if (isEnd) console.log(lastLine);
  lastLine = line || lastLine;
}
