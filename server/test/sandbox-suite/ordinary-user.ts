/** Runs every case as the current user, and prints the result of each as a line of JSON: `node ordinary-user.ts <folder>`. */
import { ALL_CASES, findMissing, runCase } from './cases.ts';
import { findAbilities, openProvider } from './provider-under-test.ts';
import type { CaseResult } from './sandbox-case.ts';

const [folder = ''] = process.argv.slice(2);
const under = openProvider(folder);
const abilities = await findAbilities(under);

for (const sandboxCase of ALL_CASES) {
  const { name } = sandboxCase;
  const skippedFor = findMissing(sandboxCase, abilities);
  const tell = (result: CaseResult) => console.info(JSON.stringify(result));
  if (skippedFor) {
    tell({ name, skippedFor });
    continue;
  }
  await runCase(sandboxCase, under).then(
    () => tell({ name }),
    (error: unknown) =>
      tell({ name, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
}
await under.provider.close();
// Exits even if a failed case left something open.
process.exit();
