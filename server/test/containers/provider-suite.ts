/** Runs the provider suite on the `container` provider, with an engine that the tests start. */
import { mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atEndOfFile } from '../end-of-file.ts';
import { describeSkipped, findMissing, runCase } from '../sandbox-suite/cases.ts';
import { findAbilities, openProvider } from '../sandbox-suite/provider-under-test.ts';
import type { Ability, SandboxCase } from '../sandbox-suite/sandbox-case.ts';
import { type EngineKind, findObstacle, startEngine } from './engine-under-test.ts';

/** @param least how many cases must run; the others may need features that this machine lacks */
export async function describeContainerProvider(
  kind: EngineKind,
  cases: readonly SandboxCase[],
  least: number,
): Promise<void> {
  const obstacle = findObstacle(kind);
  if (obstacle !== undefined) {
    test(`the provider suite with ${kind}`, ({ skip }) => skip(obstacle));
    return;
  }
  const { under, abilities } = await open(kind);

  describe(`the container provider with ${kind}`, () => {
    const ran: string[] = [];
    const skippedFor: Ability[] = [];

    test.for(cases)('$name', async (sandboxCase, context) => {
      const missing = findMissing(sandboxCase, abilities);
      if (missing) {
        skippedFor.push(missing);
        context.skip(`needs "${missing}"`);
      }
      await runCase(sandboxCase, under);
      ran.push(sandboxCase.name);
    });

    test('skipped cases are named and counted, and the rest ran', () => {
      console.info(`containers of ${kind}: ${describeSkipped(skippedFor)}`);
      expect(ran.length + skippedFor.length).toBe(cases.length);
      expect(ran.length).toBeGreaterThanOrEqual(least);
    });
  });
}

async function open(kind: EngineKind) {
  const engine = await startEngine(kind);
  atEndOfFile(() => engine.close());
  const parent = mkdtempSync(join(tmpdir(), 'drydock-suite-'));
  await mkdir(join(parent, 'own'));
  const under = openProvider(join(parent, 'own'), engine);
  atEndOfFile(async () => {
    await under.provider.close();
    await rm(parent, { recursive: true, force: true });
  });
  return { under, abilities: await findAbilities(under) };
}
