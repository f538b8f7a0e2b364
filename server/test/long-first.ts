/** Files that take a minute begin first: one that begins last has the machine to itself, and everybody waits for it. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG =
  /fuzz\.test|sandbox-namespaces|-kills\.|-storm\.|restore-objects|backup\.test|data-directory|object-storage-settings/;

export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, and of no array
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
