/**
 * The `container` provider by the suite of the port, with an engine of the tests' own: each kind that can be had here in full with
 * `npm run test:containers`, else Docker with the cases of a smoke round.
 */
import { mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type EngineKind, findObstacle, startEngine } from './containers/engine-under-test.ts';
import { atEndOfFile } from './end-of-file.ts';
import { ALL_CASES, describeSkipped, findMissing, LEAST_CASES, runCase } from './sandbox-suite/cases.ts';
import { findAbilities, openProvider } from './sandbox-suite/provider-under-test.ts';
import type { Ability } from './sandbox-suite/sandbox-case.ts';

const kind = (process.env.DRYDOCK_TEST_CONTAINERS ?? 'docker') as EngineKind;
const isWhole = process.env.DRYDOCK_TEST_CONTAINERS !== undefined;

/** Of each part of the suite something, and what is like no other provider's. */
const SMOKE = [
  'its report is whole, and the same when it is asked again',
  'arguments reach a command as they are',
  'exit codes come back, those of signals and of no such program too',
  'output of any bytes comes back, the two apart and none lost',
  'the environment is the one that is given, and the usual',
  'commands have no rights, no terminal and nobody else to look at',
  'what a command leaves in the background lives on, and does not hold it up',
  'a command that is killed ends with what it started, and nothing else does',
  'two sandboxes share neither processes, network, memory nor files',
  'the next sandbox of a disk finds its files, with modes, links and times',
  'keepOnlyWorkspace leaves the files of /workspace where they are and replaces the rest of the disk',
  'keepOnlyWorkspace refuses a disk that is not there',
  'a command that runs through a pause ends as if there had been none',
  'memory beyond the limit ends who wants it, and not the sandbox',
  'a kill leaves nothing: no process, mount, cgroup, socket or file',
  'an end by itself is told once, at its moment, and leaves nothing',
  'a sandbox is taken up with its processes, and can do all that it could',
  'starts that were cut short at any moment are listed and can be killed',
  'an allowed host is reached from the first command on, by request and by tunnel',
  'files are written, read, listed and deleted, as the user of the sandbox',
  'every byte passes a terminal, both ways, however many there are',
  'a terminal stands still while the sandbox is paused, and goes on with what was typed meanwhile',
  'what listens at either loopback, or at all addresses, is reached',
  'a pause closes them, and none is made until it goes on',
  'capabilities are seen as files that can be read and run',
  'what is there is not brought again, also by the next sandbox of the disk',
];
const cases = isWhole ? ALL_CASES : ALL_CASES.filter(({ name }) => SMOKE.includes(name));

async function open() {
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

const obstacle = findObstacle(kind);
const opened = obstacle === undefined ? await open() : undefined;

describe.runIf(opened)(`the container provider with ${kind}`, () => {
  const ran: string[] = [];
  const skippedFor: Ability[] = [];

  test.for(cases)('$name', async (sandboxCase, context) => {
    if (!opened) return;
    const missing = findMissing(sandboxCase, opened.abilities);
    if (missing) {
      skippedFor.push(missing);
      context.skip(`needs "${missing}"`);
    }
    await runCase(sandboxCase, opened.under);
    ran.push(sandboxCase.name);
  });

  test('what was skipped is named and counted, and the rest ran', () => {
    console.info(`containers of ${kind}: ${describeSkipped(skippedFor)}`);
    expect(ran.length + skippedFor.length).toBe(cases.length);
    if (isWhole) expect(ran.length).toBeGreaterThanOrEqual(LEAST_CASES);
    else expect(cases.length).toBe(SMOKE.length);
  });
});

if (!opened) test(`the suite of providers with ${kind}`, ({ skip }) => skip(obstacle));
