/** Improves the vague prompt of an agent with simulated models, and publishes the best candidate as a new version. */
import { type Drydock, isDrydockError, type OptimizationJobResponse } from '../../sdk/src/drydock.ts';
import { endProgress, percent, progress, say } from './output.ts';
import { publish, VERSION, WHERE } from './publish.ts';
import { sampleRows } from './sample-rows.ts';

const CAPABILITY = 'demo-assistant';
const DATASET = 'demo-questions';
const PROMPT = 'You are a helpful assistant.';
const NEXT_VERSION = '1.1.0';
const ROWS = 30;
const METRIC_CALLS = 60;
const POLL_MS = 250;

export async function demonstrateOptimization(drydock: Drydock): Promise<void> {
  await publish(drydock.capabilities, {
    name: CAPABILITY,
    manifest: { schema: 1, name: CAPABILITY, version: VERSION, description: 'Answers small questions' },
    files: { 'agents/helper.md': `${PROMPT}\n` },
  });
  await publish(drydock.datasets, {
    name: DATASET,
    manifest: { summary: 'Small questions with the answers that are expected' },
    files: {
      'train.jsonl': sampleRows(ROWS)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    },
  });
  say(`\nPublished the agent ${CAPABILITY} with the prompt “${PROMPT}” and ${ROWS} questions.`);
  const job = await optimize(drydock);
  if (job.status === 'completed') await showResult(drydock, job);
  else say(`The job is ${job.status}: ${job.error ?? 'no reason was given.'}`);
}

async function optimize(drydock: Drydock): Promise<OptimizationJobResponse> {
  const { id } = await drydock.optimization.create(WHERE, {
    name: 'demo',
    target_kind: 'capability_agent',
    model: 'sim/instructed',
    capability_ref: { name: CAPABILITY, version: VERSION },
    dataset_ref: { name: DATASET, version: VERSION },
    reward_recipe: { name: 'exact_match_v1' },
    config: { reflection_lm: 'sim/reflector', max_metric_calls: METRIC_CALLS },
  });
  say(
    `Improving it for sim/instructed with about ${METRIC_CALLS} metric calls; sim/reflector writes new prompts:`,
  );
  for (;;) {
    const job = await drydock.optimization.get({ ...WHERE, job_id: id });
    const { budget, candidate_count } = job.summary.metadata;
    progress(
      `  ${budget.metric_calls_used} metric calls, ${candidate_count} candidates, best ${percent(job.summary.best_score)}`,
    );
    if (job.status !== 'queued' && job.status !== 'running') {
      endProgress();
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function showResult(drydock: Drydock, { id, summary }: OptimizationJobResponse): Promise<void> {
  const { budget, seed_score, seed_holdout_score, holdout_score, holdout_size } = summary.metadata;
  say(
    `\nValidation  ${percent(seed_score)} before, ${percent(summary.best_score)} after, on ${summary.train_size} rows`,
  );
  say(
    `Holdout     ${percent(seed_holdout_score)} before, ${percent(holdout_score)} after, on ${holdout_size} rows that the search never saw`,
  );
  const before = new Set(PROMPT.split('\n'));
  for (const line of (summary.best_candidate?.['instructions'] ?? '').split('\n'))
    say(`  ${before.has(line) ? ' ' : '+'} ${line}`);
  say(
    `Spent       ${budget.metric_calls_used} metric calls, ${budget.holdout_calls} on the holdout, ${budget.reflection_calls} reflections: ${budget.cost_usd.toFixed(4)} US dollars`,
  );
  await promote(drydock, id);
}

async function promote(drydock: Drydock, id: string): Promise<void> {
  try {
    const { name, version, changed_files } = await drydock.optimization.promote(
      { ...WHERE, job_id: id },
      { version: NEXT_VERSION },
    );
    say(`Promoted    ${name}@${version}, with ${changed_files.join(', ')} changed`);
  } catch (error) {
    if (!isDrydockError(error, 'already_exists_error')) throw error;
    say(`Promoted    ${CAPABILITY}@${NEXT_VERSION} exists from an earlier run of the demo`);
  }
}
