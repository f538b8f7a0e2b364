/** A host without a container image still has the provider, which only reports why it is not available. */
import { expect, test } from 'vitest';
import { makeFolder } from '../../../../test/processes.ts';
import { createLog } from '../../log.ts';
import { createContainerProvider } from './container-provider.ts';

test('a container provider without an image names the missing setting, and has nothing to remove', async () => {
  const provider = createContainerProvider({
    folder: makeFolder(),
    settings: { image: undefined, pull: false, host: undefined, certificates: undefined, runtime: undefined },
    log: createLog('fatal'),
    events: { ended: () => undefined, egress: () => undefined },
  });
  expect(await provider.probe()).toMatchObject({
    available: false,
    reason: expect.stringContaining('DRYDOCK_CONTAINER_IMAGE'),
  });
  expect(await provider.listDisks()).toEqual([]);
  await provider.removeDisk('disk-1');
  await provider.close();
});
