/** A smoke round with Docker; `sandbox-container.nightly.test.ts` runs all cases. */
import { expect, test } from 'vitest';
import { describeContainerProvider } from './containers/provider-suite.ts';
import { ALL_CASES } from './sandbox-suite/cases.ts';

const NAMES = [
  "a provider's report is complete and the same when requested again",
  'exit codes are returned, including those of signals and missing programs',
  'two sandboxes share neither processes, network, memory nor files',
  'the next sandbox of a disk finds its files, with modes, links and times',
  'keepOnlyWorkspace leaves the files of /workspace where they are and replaces the rest of the disk',
  'a kill leaves no process, mount, cgroup, socket or file behind',
  'files are written, read, listed and deleted as the user of the sandbox',
];
const cases = ALL_CASES.filter(({ name }) => NAMES.includes(name));

test('every case of the smoke round is one of the suite', () => {
  expect(cases.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
});

await describeContainerProvider('docker', cases, NAMES.length);
