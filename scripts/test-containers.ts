/** `npm run test:containers`: every suite of sandboxes against each engine that this machine has, one after the other. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { ENGINES, findObstacle } from '../server/test/containers/engine-under-test.ts';

/** Tests that apply only to namespace sandboxes. */
const NOT_OF_CONTAINERS = ['**/escape-as-user.e2e.test.ts'];
const ESCAPES = globSync('server/test/sandbox-suite/*.e2e.test.ts', { exclude: NOT_OF_CONTAINERS });
const RUNS = [
  ['run', '--mode', 'nightly', 'server/test/sandbox-container.nightly.test.ts'],
  ['run', '--mode', 'e2e', ...ESCAPES],
];

let areAllGood = true;
for (const kind of ENGINES) {
  const obstacle = findObstacle(kind);
  if (obstacle !== undefined) {
    console.info(`${kind}: skipped, since ${obstacle}`);
    continue;
  }
  console.info(`${kind}:`);
  for (const run of RUNS) {
    const { status } = spawnSync('vitest', run, {
      stdio: 'inherit',
      env: { ...process.env, DRYDOCK_TEST_CONTAINERS: kind },
    });
    areAllGood &&= status === 0;
  }
}
process.exitCode = areAllGood ? 0 : 1;
