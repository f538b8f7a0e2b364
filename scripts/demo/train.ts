/** Teaches a tiny model with good transcripts of another model, serves it beside the server, and evaluates it before and after. */
import {
  type Drydock,
  type EvaluationResponse,
  isDrydockError,
  type TrainingJobResponse,
} from '../../sdk/src/drydock.ts';
import { findTrainerPython } from '../training-packages.ts';
import { clerkRows } from './clerk.ts';
import { DEMO_MODEL, publishDemoModel } from './model.ts';
import { say, waitFor } from './output.ts';
import { publish, VERSION, WHERE } from './publish.ts';

/** Questions with the instructions that the teacher has, so that the model learns the whole conversation. */
const QUESTIONS = 'clerk-questions';
const TRANSCRIPTS = 'clerk-transcripts';
const COUNT = 10;
const TEACHER = 'sim/instructed';
const CHART = { width: 60, height: 8 };

export interface TaughtModel {
  /** Number of questions that the model answered correctly before the training. */
  readonly before: number;
  readonly after: number;
  /** Samples that are marked because the model was trained on their rows. */
  readonly contaminated: number;
  readonly losses: readonly number[];
}

/**
 * Needs a trainer, which is not part of the ordinary set-up: if it is missing, explains how to install it.
 * @param prompt with which the teacher answers well
 */
export async function demonstrateTraining(
  drydock: Drydock,
  { prompt, capability }: { readonly prompt: string; readonly capability: { name: string; version: string } },
): Promise<TaughtModel | undefined> {
  const python = findTrainerPython();
  if (python === undefined) {
    say('   Left out: "npm run setup -- --training" installs a trainer (about 6 GB).');
    return undefined;
  }
  const model = await publishDemoModel(drydock, python);
  await publishQuestions(drydock, prompt);
  const teacher = await ask(drydock, TEACHER);
  const { rows } = await makeDataset(drydock, teacher.id);
  say(`   Transcripts ${rows} different conversations in which ${TEACHER} was right become a dataset`);
  await drydock.models.serve({ org: WHERE.org, name: DEMO_MODEL, version: VERSION });
  const { passed_count: before } = await ask(drydock, `local/${DEMO_MODEL}@${VERSION}`);
  const { id } = await drydock.training.create(WHERE, {
    name: 'demo-clerk',
    model,
    capability_ref: capability,
    config: {
      trajectory_dataset_refs: [{ name: TRANSCRIPTS, version: VERSION }],
      epochs: 40,
      batch_size: 5,
      learning_rate: 1e-2,
      max_sequence_length: 512,
    },
  });
  const job = await waitFor(() => drydock.training.get({ ...WHERE, job_id: id }), describeJob);
  if (job.status !== 'completed') {
    say(`   The job is ${job.status}: ${job.error ?? ''}`);
    return undefined;
  }
  const losses = await showCurve(drydock, id);
  const { artifacts } = await drydock.training.artifacts({ ...WHERE, job_id: id });
  const { model: name = '', version = '' } = artifacts.model ?? {};
  const { id: served } = await drydock.models.serve({ org: WHERE.org, name, version });
  const { id: exam, passed_count: after } = await ask(drydock, served);
  const { contaminated_count: contaminated } = await drydock.evaluations.analytics({
    ...WHERE,
    evaluation_id: exam,
  });
  say(`   Answers     ${before} of ${COUNT} right before, ${after} of ${COUNT} after, as ${served}`);
  say(
    `   Marked      ${contaminated} of ${COUNT} samples as contaminated: the model was trained on these rows`,
  );
  return { before, after, contaminated, losses };
}

async function publishQuestions(drydock: Drydock, system: string): Promise<void> {
  const rows = clerkRows(COUNT).map((row) => `${JSON.stringify({ system, ...row })}\n`);
  await publish(drydock.datasets, {
    name: QUESTIONS,
    manifest: { summary: 'Small questions with the answers that are expected' },
    files: { 'test.jsonl': rows.join('') },
  });
}

async function makeDataset(drydock: Drydock, evaluationId: string): Promise<{ readonly rows: number }> {
  try {
    return await drydock.datasets.createFromSessions(WHERE, {
      name: TRANSCRIPTS,
      version: VERSION,
      evaluation_ids: [evaluationId],
      passed: true,
    });
  } catch (error) {
    // A server that has run the demo before has the dataset already.
    if (!isDrydockError(error, 'already_exists_error')) throw error;
    return { rows: COUNT };
  }
}

function describeJob({ status, step, metrics }: TrainingJobResponse): string {
  const { 'train/loss_last': loss, total_steps: total } = metrics;
  const figures = typeof loss === 'number' ? `, loss ${loss.toFixed(3)}` : '';
  return `   ${status}: step ${step} of ${typeof total === 'number' ? total : '?'}${figures}   `;
}

/** Draws the loss over the steps with characters. */
async function showCurve(drydock: Drydock, job_id: string): Promise<readonly number[]> {
  const { series } = await drydock.training.metrics({ ...WHERE, job_id }, { names: ['train/loss'] });
  const { values = [] } = series['train/loss'] ?? {};
  const highest = Math.max(...values);
  const columns = Array.from(
    { length: Math.min(CHART.width, values.length) },
    (_, index) => values[Math.floor((index * values.length) / Math.min(CHART.width, values.length))] ?? 0,
  );
  for (let row = CHART.height; row > 0; row--) {
    const marks = columns.map((value) => (Math.ceil((value / highest) * CHART.height) >= row ? '█' : ' '));
    const label = row === CHART.height ? highest.toFixed(2) : row === 1 ? '0' : '';
    say(`  ${label.padStart(6)} │${marks.join('')}`);
  }
  say(`         └${'─'.repeat(columns.length)} loss over ${values.length} steps`);
  return values;
}

/** Evaluates all questions with an ordinary evaluation. */
async function ask(drydock: Drydock, model: string): Promise<EvaluationResponse> {
  const { id } = await drydock.evaluations.create(WHERE, {
    name: `questions to ${model}`,
    model,
    dataset: {
      name: QUESTIONS,
      version: VERSION,
      input: 'input',
      expected: 'expected_output',
      system: 'system',
    },
    scorers: [{ type: 'exact' }],
    limits: { max_output_tokens: 32 },
  });
  return waitFor(
    () => drydock.evaluations.get({ ...WHERE, evaluation_id: id }),
    ({ passed_count, failed_count }) =>
      `   ${model}: ${passed_count} of ${passed_count + failed_count} right`,
  );
}
