/** `task.yaml`: the instruction for an agent, its environment, and how the result is verified. */
import { z } from 'zod';
import { invalidValue } from '../../platform/errors.ts';
import { FileTree } from '../../platform/file-tree.ts';
import { DEFAULT_THRESHOLD } from '../../platform/red-team/scoring/summary.ts';
import type { Examined, KindOfArtifact } from '../draft.ts';
import { MANIFEST_FILES } from '../kinds.ts';
import { AnyObject, BundlePath, getFile, NO_LISTING, Word, Words } from './fields.ts';
import { TaskEnvironment, type TaskEnvironmentDetails, toEnvironmentDetails } from './task-environment.ts';

const WEEK_SECONDS = 7 * 24 * 3_600;
const Seconds = z.int().min(1).max(WEEK_SECONDS);

/** Substituted when the task runs; other braces are left unchanged. */
const TEMPLATE_VARIABLES = ['service_url', 'service_host', 'service_port'] as const;

const Instruction = z
  .string()
  .min(1)
  .max(200_000)
  .superRefine((text, context) => {
    for (const [whole, name = ''] of text.matchAll(/\{\{\s*(service_\w*)\s*\}\}/g)) {
      if (TEMPLATE_VARIABLES.some((variable) => variable === name)) continue;
      const known = TEMPLATE_VARIABLES.map((variable) => `{{${variable}}}`).join(', ');
      context.addIssue({ code: 'custom', message: `holds ${whole}; the variables are ${known}` });
    }
  });

/** Integers are accepted as text, since nobody quotes them. Other numbers have several spellings. */
const Expected = z.union([z.string().min(1).max(100_000), z.int().transform(String)], {
  error: 'must be text; write it in quotes',
});

const Sha256 = z
  .string()
  .regex(/^(?:sha256:)?[0-9a-f]{64}$/i, 'must be the SHA-256 of the flag in 64 hexadecimal digits')
  .transform((hash) => hash.replace(/^sha256:/i, '').toLowerCase());

const timeout_seconds = Seconds.nullish();

const Verification = z.discriminatedUnion('method', [
  z.looseObject({ method: z.literal('script'), script: BundlePath, timeout_seconds }),
  z.looseObject({ method: z.literal('flag'), hash: Sha256, timeout_seconds }),
  z.looseObject({ method: z.enum(['contains', 'exact']), expected: Expected, timeout_seconds }),
  z
    .looseObject({
      method: z.literal('resists_attack'),
      goal: z.string().trim().min(1).max(20_000),
      goal_category: Word.nullish(),
      canary: z.string().min(1).max(1_000).nullish(),
      judge_model: Word.nullish(),
      threshold: z.number().min(0).max(1).default(DEFAULT_THRESHOLD),
      timeout_seconds,
    })
    .refine(({ canary, judge_model }) => Boolean(canary) !== Boolean(judge_model), {
      error: 'needs either canary, a secret that must not be told, or judge_model, which judges the answer',
    }),
]);

/** A message before the instruction. */
const EarlierTurn = z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(200_000) });

const TaskManifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  instruction: Instruction,
  system: z.string().max(200_000).nullish(),
  conversation: z.array(EarlierTurn).max(200).nullish(),
  environment: TaskEnvironment.nullish(),
  verification: Verification,
  solution: z.union([z.string().min(1), AnyObject, z.array(z.unknown())]).nullish(),
  timeout_seconds,
  resources: z
    .looseObject({
      cpu_cores: z.int().min(1).max(32).nullish(),
      memory_mb: z.int().min(512).max(131_072).nullish(),
    })
    .nullish(),
  tags: Words.nullish(),
  difficulty: Word.nullish(),
  source: Word.nullish(),
});

type TaskManifest = z.output<typeof TaskManifest>;

export type TaskVerification =
  | { readonly method: 'script'; readonly script: string; readonly timeout_seconds: number | null }
  | { readonly method: 'flag'; readonly hash: string; readonly timeout_seconds: number | null }
  | {
      readonly method: 'contains' | 'exact';
      readonly expected: string;
      readonly timeout_seconds: number | null;
    }
  | AttackVerification;

/** Passes when the answer does not serve the goal of an attack. Exactly one of `canary` and `judge_model` is given. */
export interface AttackVerification {
  readonly method: 'resists_attack';
  readonly goal: string;
  readonly goal_category: string | null;
  readonly canary: string | null;
  readonly judge_model: string | null;
  /** Score of the judge from which on the attack counts as successful. */
  readonly threshold: number;
  readonly timeout_seconds: number | null;
}

/** `artifact_versions.details` of a task, besides the listing. */
export interface TaskDetails {
  readonly instruction: string;
  /** Appended to the system prompt of the agent. */
  readonly system?: string;
  /** Messages before the instruction. */
  readonly conversation?: readonly z.output<typeof EarlierTurn>[];
  /** The variables that the instruction uses. */
  readonly template_variables: readonly string[];
  readonly environment: TaskEnvironmentDetails;
  readonly verification_method: TaskVerification['method'];
  readonly verification: TaskVerification;
  readonly has_solution: boolean;
  readonly timeout_seconds: number | null;
  readonly resources: { readonly cpu_cores: number | null; readonly memory_mb: number | null };
}

export const taskKind: KindOfArtifact<TaskManifest> = {
  kind: 'task',
  manifest: TaskManifest,
  examine: async ({ manifest, files }) => {
    const details = toDetails(manifest);
    checkFiles(details, files);
    const listing = {
      ...NO_LISTING,
      summary: toSummary(manifest.instruction),
      tags: manifest.tags ?? null,
      difficulty: manifest.difficulty ?? null,
      source: manifest.source ?? null,
    };
    return { listing, details: { ...details } };
  },
};

function toDetails(manifest: TaskManifest): TaskDetails {
  const { instruction, system, conversation, resources } = manifest;
  const verification = toVerification(manifest.verification);
  return {
    instruction,
    ...(system && { system }),
    ...(conversation && conversation.length > 0 && { conversation }),
    template_variables: TEMPLATE_VARIABLES.filter((name) =>
      new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`).test(instruction),
    ),
    environment: toEnvironmentDetails(manifest.environment ?? {}),
    verification_method: verification.method,
    verification,
    has_solution: manifest.solution !== undefined && manifest.solution !== null,
    timeout_seconds: manifest.timeout_seconds ?? null,
    resources: { cpu_cores: resources?.cpu_cores ?? null, memory_mb: resources?.memory_mb ?? null },
  };
}

function toVerification(given: z.output<typeof Verification>): TaskVerification {
  const limit = { timeout_seconds: given.timeout_seconds ?? null };
  if (given.method === 'script') return { method: 'script', script: given.script, ...limit };
  if (given.method === 'flag') return { method: 'flag', hash: given.hash, ...limit };
  if (given.method !== 'resists_attack') return { method: given.method, expected: given.expected, ...limit };
  const { method, goal, goal_category = null, canary = null, judge_model = null, threshold } = given;
  return { method, goal, goal_category, canary, judge_model, threshold, ...limit };
}

const FILE = MANIFEST_FILES.task;

function checkFiles({ verification, environment }: TaskDetails, files: Examined<unknown>['files']): void {
  if (verification.method === 'script') getFile(files, verification.script, [FILE, 'verification', 'script']);
  if (environment.build) getFile(files, environment.build.dockerfile, [FILE, 'environment', 'build']);
  const tree = new FileTree();
  if (environment.files.length > 0) for (const path of files.keys()) tree.addFile(path);
  for (const { source } of environment.files) {
    if (tree.has(source)) continue;
    throw invalidValue(
      ['body', FILE, 'environment', 'files'],
      `names "${source}", which is neither a file nor a folder of the bundle`,
    );
  }
}

const MAX_SUMMARY = 200;

/** Returns the first line that is not blank. */
function toSummary(instruction: string): string | null {
  const line = instruction
    .split('\n')
    .find((text) => text.trim() !== '')
    ?.trim();
  if (line === undefined) return null;
  const characters = Array.from(line);
  return characters.length <= MAX_SUMMARY ? line : `${characters.slice(0, MAX_SUMMARY - 1).join('')}…`;
}
