/** Runs the program of the demo as an agent. The guide's commands are run by documents/jobs-*.e2e.test.ts. */
import { expect, test } from 'vitest';
import { demonstrateProgram } from '../../scripts/demo/program.ts';
import { Drydock } from '../../sdk/src/drydock.ts';
import { startEvaluationWorld } from './evaluation-world.ts';

const { server } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });

test('the program of the demo solves its tasks, and each message is recorded once', async () => {
  const drydock = new Drydock({ baseUrl: origin, apiKey: server.owner.key });
  expect(await demonstrateProgram(drydock)).toEqual({
    passed: 3,
    total: 3,
    transcript: [expect.stringMatching(/^user: What is \d+ \+ \d+\?$/), 'assistant: 42'],
  });
});
