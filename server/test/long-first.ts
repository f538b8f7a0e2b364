/** Starts long test files first: a long file that starts last would run alone while everything waits for it. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG =
  /fuzz\.|sandbox-(namespaces|container)|-(kills|crash|storm|fleet)\.|restore-objects|backup\.|data-directory|exports\.e2e|sql-|stop\.e2e/;

export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, and of no array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

/** A shared process ends when a file with its own process follows, and all modules would be loaded again. */
const rankOf = ({ project, moduleId }: TestSpecification) =>
  (project.config.isolate ? 0 : 2) + (LONG.test(moduleId) ? 0 : 1);
