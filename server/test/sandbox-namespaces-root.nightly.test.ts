/** Runs the provider suite on the `namespaces` provider as root. */
import { mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atEndOfFile } from './end-of-file.ts';
import { ALL_CASES, describeSkipped, findMissing, MIN_CASES, runCase } from './sandbox-suite/cases.ts';
import { findAbilities, openProvider } from './sandbox-suite/provider-under-test.ts';
import type { Ability } from './sandbox-suite/sandbox-case.ts';

const isRoot = process.getuid?.() === 0;

async function open() {
  const parent = mkdtempSync(join(tmpdir(), 'drydock-suite-'));
  await mkdir(join(parent, 'own'));
  const under = openProvider(join(parent, 'own'));
  atEndOfFile(async () => {
    await under.provider.close();
    await rm(parent, { recursive: true, force: true });
  });
  return { under, abilities: await findAbilities(under) };
}

const opened = isRoot ? await open() : undefined;

describe.runIf(opened)('the namespaces provider as root', () => {
  const ran: string[] = [];
  const skippedFor: Ability[] = [];

  test.for(ALL_CASES)('$name', async (sandboxCase, context) => {
    if (!opened) return;
    const missing = findMissing(sandboxCase, opened.abilities);
    if (missing) {
      skippedFor.push(missing);
      context.skip(`needs "${missing}"`);
    }
    await runCase(sandboxCase, opened.under);
    ran.push(sandboxCase.name);
  });

  test('skipped cases are named and counted, and the rest ran', async () => {
    console.info(`as root: ${describeSkipped(skippedFor)}`);
    const { limits, supportsPause } = (await opened?.under.provider.probe()) ?? {
      limits: [],
      supportsPause: false,
    };
    for (const ability of skippedFor) {
      if (ability === 'pause') expect(supportsPause).toBe(false);
      for (const limit of limits) expect(ability).not.toBe(`${limit} limit`);
    }
    expect(ran.length).toBeGreaterThanOrEqual(MIN_CASES);
    expect(ran.length + skippedFor.length).toBe(ALL_CASES.length);
  });
});

if (!opened) test('the provider suite as root', ({ skip }) => skip('this user is not root'));
