/**
 * Published CLI agents, unmodified, as agents of evaluations: their own protocol, tools and files, in a sandbox without network, against a
 * scripted model. `npm run setup -- --agents` installs them; their command lines are those of the guide "Bring your own agent".
 */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileInDocument } from './documents/document.ts';
import { startEvaluationWorld, W } from './evaluation-world.ts';

const world = await startEvaluationWorld();
const { me, publishTask, evaluate, ended, listItems } = world;

interface PublishedAgent {
  readonly program: string;
  readonly command: string;
  readonly env?: Record<string, string>;
  /** The tool call that runs a shell command. */
  readonly call: (command: string) => object;
}

const GUIDE = 'docs/guides/bring-your-own-agent.md';

const AGENTS: readonly PublishedAgent[] = [
  {
    program: 'codex',
    command: fileInDocument(GUIDE, 'codex.sh'),
    call: (cmd) => ({ name: 'exec_command', arguments: { cmd } }),
  },
  {
    program: 'claude',
    command: fileInDocument(GUIDE, 'claude.sh'),
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ANTHROPIC_SMALL_FAST_MODEL: 'sim/scripted' },
    call: (command) => ({ name: 'Bash', arguments: { command, description: 'Work on the task' } }),
  },
];

const TASKS = ['one', 'two', 'three', 'four', 'five'];

describe.each(AGENTS)('$program', ({ program, command, env = {}, call }) => {
  test.skipIf(!existsSync(`/usr/bin/${program}`))(
    'solves five tasks, and each transcript contains every message once',
    { timeout: 600_000 },
    async () => {
      for (const word of TASKS) {
        const script = [
          { call: [call(`mkdir -p out && echo ${word} > out/word.txt`)] },
          { call: [call('cat out/word.txt')] },
          { say: `The word is ${word}.` },
        ];
        const instruction = `Write the word.\n\n\`\`\`sim\n${JSON.stringify(script)}\n\`\`\`\n`;
        await publishTask(`${program}-${word}`, '', {
          manifest: { instruction },
          files: { 'verify.sh': `test "$(cat out/word.txt)" = ${word}\n` },
        });
      }
      const id = await evaluate({
        name: program,
        model: 'sim/scripted',
        task_names: TASKS.map((word) => `${program}-${word}`),
        agent: { command, env },
        concurrency: 2,
        max_retries: 0,
      });
      const evaluation = await ended(id);
      const items = await listItems(id);
      expect(items.map(({ error }: { error: string | null }) => error)).toEqual(TASKS.map(() => null));
      expect(evaluation).toMatchObject({ passed_count: TASKS.length, failed_count: 0 });
      for (const item of items) {
        const word = item.task_name.split('-').at(-1);
        const { body } = await me.get(`${W}/evaluation/${id}/items/${item.id}/transcript?limit=500`);
        const replies = body.messages.filter(({ role }: { role: string }) => role === 'assistant');
        expect(replies).toMatchObject([
          { tool_calls: [{ arguments: expect.stringContaining(`echo ${word}`) }] },
          { tool_calls: [{ arguments: expect.stringContaining('cat out/word.txt') }] },
          { content: `The word is ${word}.`, tool_calls: null },
        ]);
        const results = body.messages.filter(({ role }: { role: string }) => role === 'tool');
        expect(results).toMatchObject([{}, { content: expect.stringContaining(word) }]);
        const asked = body.messages.filter(({ content }: { content: string }) =>
          content.includes('Write the word.'),
        );
        expect(asked).toHaveLength(1);
        expect(item).toMatchObject({
          answer: `The word is ${word}.`,
          turn_count: 3,
          stop_reason: 'finished',
        });
      }
    },
  );
});
