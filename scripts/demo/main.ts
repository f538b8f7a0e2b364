/**
 * `npm run demo`: evaluates small tasks with a simulated model that makes mistakes, improves the prompt of an agent, attacks a simulated
 * model, and shows the results. It needs no network and no provider, starts a server of its own in a temporary folder, and removes it at the end. With `--url`
 * and `--key` it uses a server that runs.
 */
import { parseArgs } from 'node:util';
import { Drydock, isDrydockError } from '../../sdk/src/drydock.ts';
import { demonstrateRedTeam } from './attack.ts';
import { demonstrateEvaluation } from './evaluate.ts';
import { demonstrateOptimization } from './optimize.ts';
import { say } from './output.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
const began = performance.now();
const server = values.url ? undefined : await startServer();
try {
  const baseUrl = values.url ?? server?.url ?? '';
  const apiKey = values.key ?? server?.key ?? process.env['DRYDOCK_API_KEY'] ?? '';
  const drydock = new Drydock({ baseUrl, apiKey });
  await demonstrateEvaluation(drydock);
  await demonstrateOptimization(drydock);
  await demonstrateRedTeam(drydock);
  say(`\nDone in ${((performance.now() - began) / 1_000).toFixed(1)} s. Where to look next:`);
  say(`  docs/guides/evaluate-an-agent.md       tasks, agents, verification, statistics`);
  say(`  docs/guides/improve-an-agent.md        candidates, budgets, holdout, promotion`);
  say(`  docs/guides/attack-your-own-agent.md   attacks, findings, triage, proof`);
  say(
    server
      ? `  npm run up                             a server that stays; then npm run demo -- --url … --key dd_…`
      : `  ${baseUrl}/api/v1/docs`,
  );
} catch (error) {
  if (!isDrydockError(error)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
} finally {
  await server?.stop();
}
