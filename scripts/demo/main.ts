/**
 * `npm run demo`: an agent is evaluated, attacked, improved, checked by a gate and promoted, a program is evaluated as an agent, and good
 * transcripts teach a tiny model where a trainer is installed. It needs no network and no provider, starts a server of its own in a temporary
 * folder, and removes it at the end. With `--url` and `--key` it uses a server that runs.
 */
import { parseArgs } from 'node:util';
import { Drydock, isDrydockError } from '../../sdk/src/drydock.ts';
import { CLERK } from './clerk.ts';
import { say, setConsole } from './output.ts';
import { demonstrateProgram } from './program.ts';
import { startServer } from './server.ts';
import { NEXT_VERSION, tellStory } from './story.ts';
import { demonstrateTraining } from './train.ts';

const values = readOptions();
const began = performance.now();
const server = values.url ? undefined : await startServer();
try {
  const baseUrl = values.url ?? server?.url ?? '';
  const apiKey = values.key ?? server?.key ?? process.env['DRYDOCK_API_KEY'] ?? '';
  setConsole(baseUrl);
  const drydock = new Drydock({ baseUrl, apiKey, maxRetries: 20 });
  const { prompt } = await tellStory(drydock);
  say('\n7. Evaluate a program of your own as the agent');
  await demonstrateProgram(drydock);
  say('\n8. Train a tiny model on good transcripts');
  await demonstrateTraining(drydock, { prompt, capability: { name: CLERK, version: NEXT_VERSION } });
  say(`\nDone in ${((performance.now() - began) / 1_000).toFixed(1)} s. Where to look next:`);
  say(`  docs/guides/close-the-loop.md          the steps of this demo, one by one`);
  say(`  docs/guides/evaluate-an-agent.md       tasks, agents, verification, statistics`);
  say(`  docs/guides/bring-your-own-agent.md    programs as agents, in closed sandboxes, recorded`);
  say(`  docs/guides/attack-your-own-agent.md   attacks, findings, triage, proof`);
  say(`  docs/guides/improve-an-agent.md        candidates, budgets, holdout, promotion`);
  say(`  docs/guides/train-from-sessions.md     datasets, trainers, checkpoints, serving`);
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

function readOptions() {
  try {
    return parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } }).values;
  } catch (error) {
    console.error(`${(error as Error).message}. The options of the demo are --url and --key.`);
    return process.exit(1);
  }
}
