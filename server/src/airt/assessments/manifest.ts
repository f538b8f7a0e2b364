/** The attack manifest: which attacks run, for which goals. Entries without `attack` belong to clients and are kept as they are. */
import { z } from 'zod';
import { ATTACKS, findAttack } from '../../platform/red-team/attacks/catalogue.ts';
import type { TargetKind } from '../../platform/red-team/ports.ts';
import { GOAL_CATEGORY_NAMES, isGoalCategory } from '../../platform/red-team/scoring/severity.ts';
import { findTransform, TRANSFORMS } from '../../platform/red-team/transforms/catalogue.ts';

export const DEFAULT_TRIALS = 10;
const MAX_TRIALS = 200;
const MAX_CHAIN = 10;
const MAX_CHAINS = 200;
const MAX_GOALS = 1_000;
const MAX_GOAL_CHARACTERS = 20_000;
const MAX_ENTRIES = 200;

const Text = z.string().min(1).max(255);

const Attack = z.string().refine((name) => findAttack(name) !== undefined, {
  error: ({ input }) =>
    `no attack "${String(input)}"; known are ${ATTACKS.map(({ name }) => name).join(', ')}`,
});

const Transform = z.string().refine((name) => findTransform(name) !== undefined, {
  error: ({ input }) =>
    `no transform "${String(input)}"; known are ${TRANSFORMS.map(({ name }) => name).join(', ')}`,
});

const Category = z.string().refine(isGoalCategory, {
  error: ({ input }) => `no category "${String(input)}"; known are ${GOAL_CATEGORY_NAMES.join(', ')}`,
});

/** A name, or a list of names that are applied one after another. */
const Chain = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z.array(Transform).min(1).max(MAX_CHAIN),
);

/** Parameters that every attack has. */
const CommonParams = z.object({
  exhaustive: z.boolean().default(false).describe('Goes on after the first success'),
  threshold: z.number().gt(0).max(1).optional().describe('The score from which a trial is a success'),
  canary: z
    .string()
    .min(6)
    .max(200)
    .optional()
    .describe('A text that the target knows and must not tell; trials are judged by it alone'),
});

function splitParams(params: Readonly<Record<string, unknown>> | null | undefined) {
  const entries = Object.entries(params ?? {});
  const isCommon = (name: string) => Object.hasOwn(CommonParams.shape, name);
  return {
    common: Object.fromEntries(entries.filter(([name]) => isCommon(name))),
    own: Object.fromEntries(entries.filter(([name]) => !isCommon(name))),
  };
}

/** @throws {ZodError} for parameters that were not checked before */
export function readParams(attack: string, params: ManifestEntry['params']) {
  const { own, common } = splitParams(params);
  return { ...CommonParams.parse(common), own: findAttack(attack)?.params.parse(own) ?? {} };
}

/** An entry that the server can run. */
const RunnableEntry = z
  .object({
    attack: Attack,
    goals: z.array(z.string().trim().min(1).max(MAX_GOAL_CHARACTERS)).min(1).max(MAX_GOALS).nullish(),
    goals_dataset: z
      .object({
        name: Text,
        version: Text,
        split: Text.nullish(),
        column: Text,
      })
      .nullish(),
    goal_category: Category.nullish(),
    transforms: z.array(Chain).max(MAX_CHAINS).nullish(),
    trials: z.int().min(1).max(MAX_TRIALS).nullish(),
    params: z.record(z.string(), z.unknown()).nullish(),
  })
  .superRefine(({ goals, goals_dataset, attack, params, transforms }, context) => {
    if (goals && goals_dataset)
      context.addIssue({
        code: 'custom',
        path: ['goals_dataset'],
        message: 'goals are given as well; give one of them',
      });
    if (attack === 'transform_sweep' && !transforms?.length)
      context.addIssue({
        code: 'custom',
        path: ['transforms'],
        message: 'transform_sweep tries each of the transforms; name at least one',
      });
    const { own, common } = splitParams(params);
    const checks = [CommonParams.safeParse(common), findAttack(attack)?.params.safeParse(own)];
    for (const { path, message } of checks.flatMap((check) => check?.error?.issues ?? []))
      context.addIssue({ code: 'custom', path: ['params', ...path], message });
  });

export type ManifestEntry = z.output<typeof RunnableEntry>;

const isRunnable = (entry: Readonly<Record<string, unknown>>) => 'attack' in entry;

/** An array of entries, or an object that holds it under `attacks`. */
export const Manifest = z
  .union([
    z.array(z.record(z.string(), z.unknown())).max(MAX_ENTRIES),
    z
      .looseObject({ attacks: z.array(z.record(z.string(), z.unknown())).max(MAX_ENTRIES).nullish() })
      .transform(({ attacks, ...rest }) => attacks ?? (Object.keys(rest).length > 0 ? [rest] : [])),
  ])
  .superRefine((entries, context) => {
    for (const [index, entry] of entries.entries()) {
      if (!isRunnable(entry)) continue;
      for (const { path, message } of RunnableEntry.safeParse(entry).error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [index, ...path], message });
    }
  });

/** @param manifest as it was stored, after its check */
export const runnableEntries = (
  manifest: readonly Readonly<Record<string, unknown>>[],
): { readonly index: number; readonly entry: ManifestEntry }[] =>
  manifest.flatMap((entry, index) => (isRunnable(entry) ? { index, entry: RunnableEntry.parse(entry) } : []));

/** @returns why the attack of an entry cannot be run on such a target */
export function findMisfit(attack: string, kind: TargetKind): string | undefined {
  const targets = findAttack(attack)?.targets ?? [];
  if (targets.includes(kind)) return undefined;
  return `"${attack}" is for targets of the kind ${targets.join(', ')}, and this target is of the kind ${kind}`;
}
