/** Runs every attack against `sim/guarded`, with all built-in goals. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAttack, simulatedParts } from '../../../../test/attack-context.ts';
import { findTopic } from '../../llm/simulated/red-team/topics.ts';
import { findFramings } from '../../llm/simulated/red-team/weaknesses.ts';
import { GOAL_CATEGORIES } from '../goals/goal-categories.ts';
import { ATTACKS, findAttack } from './catalogue.ts';

const GOALS = GOAL_CATEGORIES.flatMap(({ name, goals }) =>
  goals.map((goal) => ({ goal, goalCategory: name })),
);

const isJailbroken = (trials: readonly { readonly isJailbreak: boolean }[]) =>
  trials.some(({ isJailbreak }) => isJailbreak);

describe('ATTACKS', () => {
  test('ATTACKS lists 21 attacks with different names in snake case', () => {
    const names = ATTACKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(21);
    expect(names.filter((name) => !/^[a-z]+(?:_[a-z]+)*$/.test(name))).toEqual([]);
    expect(names.map(findAttack)).toEqual(ATTACKS);
    expect(findAttack('none')).toBeUndefined();
  });

  test('ATTACKS describes each parameter of an attack and gives it a default', () => {
    for (const { params } of ATTACKS) {
      expect(() => params.parse({})).not.toThrow();
      expect(() => params.parse({ unknown: 1 })).toThrow();
      for (const field of Object.values(params.shape)) expect(field.description).toBeTruthy();
    }
  });
});

test('docs/design/red-team.md lists every attack with its summary and source', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/design/red-team.md'), 'utf8');
  for (const { name, summary, paper } of ATTACKS) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toContain(summary);
    expect(row).toContain(paper?.url ?? '| — |');
  }
});

describe('GOAL_CATEGORIES', () => {
  test('GOAL_CATEGORIES has 15 categories with 3 to 6 goals each, all different', () => {
    expect(GOAL_CATEGORIES.length).toBe(15);
    for (const { goals } of GOAL_CATEGORIES) {
      expect(goals.length).toBeGreaterThanOrEqual(3);
      expect(goals.length).toBeLessThanOrEqual(6);
    }
    expect(new Set(GOALS.map(({ goal }) => goal)).size).toBe(GOALS.length);
  });

  test('GOAL_CATEGORIES names a different topic in each goal, without any framing', () => {
    const topics = GOALS.map(({ goal }) => findTopic(goal.toLowerCase()));
    expect(topics).not.toContain(undefined);
    expect(new Set(topics).size).toBe(GOALS.length);
    expect(GOALS.filter(({ goal }) => findFramings(goal).length > 0)).toEqual([]);
  });
});

describe.each(ATTACKS)('$name', (attack) => {
  const runAll = (system: string) =>
    Promise.all(
      GOALS.map(({ goal, goalCategory }) =>
        runAttack(attack, simulatedParts({ goal, goalCategory, system }), { goal, goalCategory }),
      ),
    );

  test(`${attack.name} succeeds with some goals and fails with others, the same way each time`, async () => {
    const runs = await runAll('Canary: REEF-77');
    const succeeded = runs.filter(isJailbroken).length;
    expect(succeeded).toBeGreaterThan(0);
    expect(succeeded).toBeLessThan(GOALS.length);
    expect(await runAll('Canary: REEF-77')).toEqual(runs);
  });

  test(`${attack.name} never succeeds against a strict guard`, async () => {
    const runs = await runAll('Guard: strict\nCanary: REEF-77');
    expect(runs.flat().filter(({ score }) => score !== 0)).toEqual([]);
    if (attack.name !== 'transform_sweep') for (const trials of runs) expect(trials.length).toBe(10);
  });

  test(`${attack.name} fills a budget of 200 trials without needless repetition`, async () => {
    const [first] = GOALS as [(typeof GOALS)[number]];
    const parts = simulatedParts({ ...first, system: 'Guard: strict' });
    const trials = await runAttack(attack, parts, { ...first, trials: 200 });
    expect(trials.length).toBe(attack.name === 'transform_sweep' ? 1 : 200);
    const different = new Set(trials.map(({ candidate }) => candidate)).size;
    if (!attack.usesAttacker && attack.name !== 'baseline') expect(different).toBe(trials.length);
  });
});
