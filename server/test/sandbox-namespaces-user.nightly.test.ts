/** Runs the provider suite on the `namespaces` provider as an ordinary user: in a separate process when this one is root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { isRoot, NOBODY, nodeAsNobody, seenByNobody } from './as-nobody.ts';
import { atEndOfFile } from './end-of-file.ts';
import { ALL_CASES, describeSkipped, MIN_CASES } from './sandbox-suite/cases.ts';
import type { Ability, CaseResult } from './sandbox-suite/sandbox-case.ts';

const PROGRAM = seenByNobody(join(import.meta.dirname, 'sandbox-suite/ordinary-user.ts'));

const parent = mkdtempSync(join(tmpdir(), 'drydock-suite-'));
const folder = join(parent, 'own');
mkdirSync(folder);
if (isRoot) for (const path of [parent, folder]) chownSync(path, NOBODY, NOBODY);

const [command, ...args] = nodeAsNobody(PROGRAM, folder);
// The home of nobody is a folder in which nothing can be looked up.
const child = spawn(command, args, {
  stdio: ['ignore', 'pipe', 'pipe'],
  env: { PATH: process.env.PATH, TMPDIR: parent },
});
const exited = once(child, 'exit');
atEndOfFile(async () => {
  child.kill();
  await exited;
  await rm(parent, { recursive: true, force: true });
});

let complaints = '';
child.stderr.on('data', (chunk: Buffer) => {
  complaints += chunk.toString();
});
const results = new Map(ALL_CASES.map(({ name }) => [name, Promise.withResolvers<CaseResult>()]));
createInterface({ input: child.stdout }).on('line', (line) => {
  const result: CaseResult = JSON.parse(line);
  results.get(result.name)?.resolve(result);
});
child.once('exit', () => {
  const failure = `It ended without a word on this case: ${complaints}`;
  for (const [name, { resolve }] of results) resolve({ name, failure });
});

describe('the namespaces provider as an ordinary user', () => {
  const ran: string[] = [];
  const skippedFor: Ability[] = [];

  test.for(ALL_CASES)('$name', async ({ name, needs }, context) => {
    const result = await results.get(name)?.promise;
    if (result?.skippedFor) {
      expect(result.skippedFor).toBe(needs);
      skippedFor.push(result.skippedFor);
      context.skip(`needs "${result.skippedFor}"`);
    }
    if (result?.failure) expect.fail(result.failure);
    ran.push(name);
  });

  test('skipped cases are named and counted, and the rest ran', async () => {
    console.info(`as an ordinary user: ${describeSkipped(skippedFor)}`);
    expect(ran.length).toBeGreaterThanOrEqual(MIN_CASES);
    expect(ran.length + skippedFor.length).toBe(ALL_CASES.length);
    // Each limit was tested either for being enforced or for being refused.
    for (const limit of ['cpu', 'memory', 'pids']) {
      expect(skippedFor.filter((ability) => ability.endsWith(`${limit} limit`))).toHaveLength(1);
    }
    expect(await exited).toEqual([0, null]);
  });
});
