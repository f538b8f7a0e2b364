/** Finds the examples of a job: rows of datasets or tasks, in a training, a validation and a holdout set. */
import { createHash } from 'node:crypto';
import { findNamedTasks, findSetTasks } from '../../evaluations/service.ts';
import { BoundError } from '../../platform/analytics/data-file.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { findRecipeProblem, type RewardRecipe } from '../../platform/rewards/rewards.ts';
import { toStorable } from '../../platform/storable-text.ts';
import {
  type DatasetStore,
  type FoundSplit,
  type FoundTask,
  findSplit,
  readSplit,
} from '../../registry/service.ts';
import type { DatasetRefOf } from '../schema.ts';
import type { DatasetVersion, Example, ExampleSplit } from '../stored-job.ts';
import { renameColumns, requireInputColumn, toColumnNames, toRowSource } from './row-inputs.ts';
import { type CreateRequest, tasksOf } from './schema.ts';

const MAX_ROWS = 10_000;
const MAX_ROW_CHARACTERS = 1_000_000;
const MAX_ALL_CHARACTERS = 64_000_000;
/** The number of examples from which on a fifth of them is held out by default. */
const MIN_EXAMPLES_TO_HOLD_OUT = 20;
const DEFAULT_HOLDOUT = 0.2;

export interface FoundExamples {
  readonly sets: Readonly<Record<ExampleSplit, readonly Example[]>>;
  readonly holdoutFraction: number;
  /** The references have their versions resolved. */
  readonly datasetRef: DatasetRefOf | null;
  readonly valDatasetRef: DatasetRefOf | null;
  readonly datasetVersion: DatasetVersion | null;
  readonly valDatasetVersion: DatasetVersion | null;
  readonly taskRefs: readonly string[] | null;
  readonly valTaskRefs: readonly string[] | null;
  /** Members of the task set that do not resolve. */
  readonly skipped: readonly string[];
}

/** @throws {ApiError} `validation_error` for sets that are empty or cannot be scored */
export async function findExamples(
  store: DatasetStore,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<FoundExamples> {
  const { dataset_ref, val_dataset_ref, reward_recipe: recipe, config } = request;
  const { taskRef, taskRefs, valTaskRefs } = tasksOf(request);
  const named = taskRefs ?? (taskRef === null ? null : [taskRef]);
  const mapping = config?.dataset_input_mapping ?? [];
  const rows = (ref: DatasetRefOf | null | undefined, field: string, splits: readonly string[]) =>
    ref ? readRows(store, scope, { ref, field, splits, recipe, mapping, signal }) : null;
  const train = await rows(dataset_ref, 'dataset_ref', ['train', 'training']);
  const validation = await rows(val_dataset_ref, 'val_dataset_ref', ['validation', 'val', 'test']);
  const set = request.task_set ? await findSetTasks(store.db, scope, request.task_set) : null;
  const found =
    set?.tasks ?? (named && (await findNamedTasks(store.db, scope, named, ['body', 'task_refs'])).tasks);
  const tasks = found && toExamples(found, recipe);
  const valFound =
    valTaskRefs && (await findNamedTasks(store.db, scope, valTaskRefs, ['body', 'val_task_refs'])).tasks;
  const valTasks = valFound && toExamples(valFound, recipe);
  const trainSet: readonly Example[] = train?.examples ?? tasks ?? [];
  const validationSet: readonly Example[] = validation?.examples ?? valTasks ?? [];
  const isHeldOut = trainSet.length >= MIN_EXAMPLES_TO_HOLD_OUT && validationSet.length === 0;
  const holdoutFraction = request.holdout_fraction ?? (isHeldOut ? DEFAULT_HOLDOUT : 0);
  const { kept, heldOut } = holdOut(trainSet, holdoutFraction, config?.seed ?? 0);
  return {
    sets: { train: kept, validation: validationSet, holdout: heldOut },
    holdoutFraction,
    datasetRef: train?.ref ?? null,
    valDatasetRef: validation?.ref ?? null,
    datasetVersion: train?.version ?? null,
    valDatasetVersion: validation?.version ?? null,
    taskRefs: tasks?.map(nameOf) ?? null,
    valTaskRefs: valTasks?.map(nameOf) ?? null,
    skipped: (set?.skipped ?? []).map(({ task_name, reason }) => `${task_name} (${reason})`),
  };
}

const nameOf = ({ task }: { readonly task: FoundTask }) => `${task.name}@${task.version}`;

function toExamples(tasks: readonly FoundTask[], recipe: RewardRecipe) {
  const problem = findRecipeProblem(recipe, {});
  if (problem !== undefined)
    throw invalidValue(
      ['body', 'reward_recipe'],
      `${problem} Tasks have no rows; row_reward_v1 takes the score of their verification.`,
    );
  return tasks.map((task) => ({ task }));
}

interface RowRequest {
  readonly ref: DatasetRefOf;
  readonly field: string;
  /** The names of the splits to try, in order, where a dataset has several and the request names none. */
  readonly splits: readonly string[];
  readonly recipe: RewardRecipe;
  readonly mapping: readonly string[];
  readonly signal: AbortSignal;
}

async function readRows(store: DatasetStore, scope: WorkspaceScope, request: RowRequest) {
  const { ref, field, recipe, mapping, signal } = request;
  const loc = ['body', field];
  const found = await findRows(store, scope, request);
  if (found.rowCount === 0) throw invalidValue(loc, 'has no rows');
  if (found.rowCount > MAX_ROWS)
    throw invalidValue(loc, `has ${found.rowCount} rows; at most ${MAX_ROWS} can be used`);
  const names = toColumnNames(
    found.columns.map(({ name }) => name),
    mapping,
  );
  requireInputColumn(names, loc);
  const examples: Example[] = [];
  let characters = 0;
  try {
    for await (const page of readSplit(store, found, scope.organizationId, signal))
      for (const given of page) {
        const rowIndex = examples.length;
        const row = renameColumns(given, names);
        const problem = findRecipeProblem(recipe, row);
        if (problem !== undefined) throw invalidValue(loc, `row ${rowIndex}: ${problem}`);
        const source = toRowSource(row);
        if (!source) throw invalidValue(loc, `row ${rowIndex} has no input`);
        const size = JSON.stringify(source).length;
        characters += size;
        if (size > MAX_ROW_CHARACTERS)
          throw invalidValue(
            loc,
            `row ${rowIndex} has more than ${MAX_ROW_CHARACTERS} characters; shorten its columns`,
          );
        if (characters > MAX_ALL_CHARACTERS)
          throw invalidValue(loc, `has more than ${MAX_ALL_CHARACTERS} characters; use a part of it`);
        examples.push({ rowIndex, row: toStorable(source) });
      }
  } catch (error) {
    if (error instanceof BoundError) throw invalidValue(loc, `has a row that ${error.message}`);
    throw error;
  }
  const { ownerId, versionId, version, split } = found;
  return { examples, ref: { ...ref, version, split: split.name }, version: { ownerId, versionId } };
}

async function findRows(
  { db }: DatasetStore,
  scope: WorkspaceScope,
  { ref, field, splits }: RowRequest,
): Promise<FoundSplit> {
  const find = (split: string | null | undefined) =>
    findSplit(db, scope, { ...ref, split }, ['body', field, 'split']);
  try {
    return await find(ref.split);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.type === 'not_found_error') throw invalidValue(['body', field], error.message);
    if (ref.split) throw error;
    for (const split of splits) {
      const found = await find(split).catch((unknown: unknown) => {
        if (!(unknown instanceof ApiError)) throw unknown;
      });
      if (found) return found;
    }
    throw error;
  }
}

/** Examples are held out by the hash of the seed and their position, which leaves the engine's random generator as it is. */
function holdOut(examples: readonly Example[], fraction: number, seed: number) {
  const count = Math.min(Math.round(examples.length * fraction), examples.length - 1);
  const hashOf = (index: number) => createHash('sha256').update(`${seed}:${index}`).digest('hex');
  const order = examples
    .map((_, index) => ({ index, hash: hashOf(index) }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const held = new Set(order.slice(0, Math.max(0, count)).map(({ index }) => index));
  return {
    kept: examples.filter((_, index) => !held.has(index)),
    heldOut: examples.filter((_, index) => held.has(index)),
  };
}
