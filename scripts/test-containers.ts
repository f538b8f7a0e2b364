/** `npm run test:containers`: every suite of sandboxes against each engine that this machine has, one after the other. */
import { spawnSync } from 'node:child_process';
import { ENGINES, findObstacle } from '../server/test/containers/engine-under-test.ts';

const FILES = ['server/test/sandbox-container.test.ts', 'server/test/sandbox-suite'];
/** Of sandboxes made of namespaces. */
const NOT_OF_CONTAINERS = ['--exclude', '**/escape-as-user.test.ts'];

let areAllGood = true;
for (const kind of ENGINES) {
  const obstacle = findObstacle(kind);
  if (obstacle !== undefined) {
    console.info(`${kind}: skipped, since ${obstacle}`);
    continue;
  }
  console.info(`${kind}:`);
  const { status } = spawnSync('vitest', ['run', ...FILES, ...NOT_OF_CONTAINERS], {
    stdio: 'inherit',
    env: { ...process.env, DRYDOCK_TEST_CONTAINERS: kind },
  });
  areAllGood &&= status === 0;
}
process.exitCode = areAllGood ? 0 : 1;
