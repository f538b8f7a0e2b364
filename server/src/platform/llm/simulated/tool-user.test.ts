import { describe, expect, test } from 'vitest';
import { ask, askInPieces, assistant, toolResult, user } from '../../../../test/simulated-responses.ts';
import { parseExactly } from '../../json.ts';
import type { ChatRequest } from '../chat-model.ts';

const tools = [
  { type: 'function', function: { name: 'find' } },
  { type: 'function', function: { name: 'bash' } },
];
const TASK = 'Count the files.\n\n```sh\nls | wc -l\n```\n\nAnswer with the number.\n';

const start = (text: string, more: Partial<ChatRequest> = {}) =>
  ask({ model: 'tool-user', messages: [user(text)], tools, ...more });

const commandOf = ({ message }: Awaited<ReturnType<typeof ask>>): unknown =>
  message.tool_calls && JSON.parse(message.tool_calls[0]?.function.arguments ?? '').command;

describe('sim/tool-user', () => {
  test('calls bash with the shell block of the first user message', async () => {
    const answer = await ask({
      model: 'tool-user',
      messages: [{ role: 'system', content: '```sh\nno\n```' }, user(TASK), user('```sh\nno\n```')],
      tools,
    });
    expect(answer).toMatchObject({
      finishReason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          {
            id: 'call_0_0',
            type: 'function',
            function: { name: 'bash', arguments: '{"command":"ls | wc -l"}' },
          },
        ],
      },
    });
  });

  test.each([
    ['```bash\na\n```', 'a'],
    ['```shell\na\n\nb\n```', 'a\n\nb'],
    ['```\na\n```', 'a'],
    ['``` SH \r\na\r\nb\r\n```\r\n', 'a\nb'],
    ['   ```sh\n  a\n   ```', '  a'],
    ['````sh\n```\na\n````', '```\na'],
    ['```sh\n```', ''],
    ['```python\nno\n```\n```sh\na\n```\n```sh\nb\n```', 'a'],
    ['```python\n```sh\nno\n```\nthen', undefined],
    ['```sh\nnever closed', undefined],
    ['`sh` and ``` in text', undefined],
    ['    ```sh\n    a\n    ```', undefined],
  ])('%j has the command %j', async (text, command) => {
    expect(commandOf(await start(text))).toBe(command);
  });

  test.each<[string, Partial<ChatRequest>]>([
    ['no tools', { tools: undefined }],
    ['no bash', { tools: tools.slice(0, 1) }],
    ['no choice', { tool_choice: 'none' }],
  ])('answers with the last line of the first user message when there is %s', async (_, more) => {
    const answer = await start(TASK, more);
    expect(answer).toMatchObject({ finishReason: 'stop', message: { content: 'Answer with the number.' } });
  });

  test('answers with the last non-empty line of the result', async () => {
    const messages = [user(TASK), assistant(''), toolResult('a\nfirst'), toolResult('one\n two \r\n \n\n')];
    expect(await ask({ model: 'tool-user', messages, tools })).toMatchObject({
      finishReason: 'stop',
      message: { content: 'two' },
    });
    const empty = [user(TASK), assistant(''), toolResult('\n')];
    expect((await ask({ model: 'tool-user', messages: empty, tools })).message.content).toBe('');
  });

  test('finds the block in a message that begins with a compaction', async () => {
    expect(
      commandOf(await start(`${TASK}\n\nThe conversation was too long:\n\n\`\`\`sh\nrm x\n\`\`\``)),
    ).toBe('ls | wc -l');
  });

  test.each(['tool-user', 'noisy-tool-user'])('%s is limited and streamed like the others', async (model) => {
    const request = { model, messages: [user(TASK)], tools, max_tokens: 3, seed: 1 };
    const whole = await ask(request);
    expect(whole).toMatchObject({ finishReason: 'length', usage: { outputTokens: 3 } });
    const { message, usage } = await askInPieces(request);
    expect({ ...message, refusal: null }).toEqual(whole.message);
    expect(usage).toEqual(whole.usage);
  });

  test('refuses a tool choice that it cannot follow', async () => {
    expect(commandOf(await start(TASK, { tool_choice: 'required' }))).toBe('ls | wc -l');
    for (const tool_choice of ['required', { type: 'function', function: { name: 'find' } }])
      await expect(start('No block.', { tool_choice })).rejects.toMatchObject({ type: 'invalid_error' });
  });

  test.each(['```sh\n'.repeat(200_000), '`'.repeat(1_000_000), '\n'.repeat(1_000_000)])(
    'reads a megabyte of fences in linear time (%#)',
    async (text) => {
      expect(commandOf(await start(text))).toBeUndefined();
    },
  );
});

describe('sim/noisy-tool-user', () => {
  const OUTPUT = 'header\n41\n42\n';

  /** Returns whether the sample ran the block, and its answer. */
  async function sample(seed: unknown, text = TASK, output = OUTPUT) {
    const request = { model: 'noisy-tool-user', messages: [user(text)], tools, seed };
    const first = await ask(request);
    if (!first.message.tool_calls) return { hasRun: false, answer: first.message.content };
    const messages = [...request.messages, assistant(''), toolResult(output)];
    return { hasRun: true, answer: (await ask({ ...request, messages })).message.content };
  }

  const samples = async (text?: string) =>
    Promise.all(Array.from({ length: 1_000 }, (_, index) => sample(index + 1, text)));

  test('fails for about 30 % of the seeds, half of them without running anything', async () => {
    const counts = Object.entries(
      Object.groupBy(await samples(), ({ hasRun, answer }) => `${hasRun} ${answer}`),
    ).map(([outcome, found]) => [outcome, found?.length ?? 0] as const);
    const count = new Map(counts);
    expect([...count.keys()].toSorted()).toEqual(['false Done.', 'true 42', 'true header']);
    for (const mistake of ['false Done.', 'true header']) {
      expect(count.get(mistake)).toBeGreaterThan(120);
      expect(count.get(mistake)).toBeLessThan(180);
    }
  });

  test('gives the same result for the same seed, and fails for other seeds with another instruction', async () => {
    const first = await samples();
    expect(await samples()).toEqual(first);
    const other = await samples(`${TASK} Now.`);
    const differing = other.filter((one, index) => one.answer !== first[index]?.answer);
    expect(differing.length).toBeGreaterThan(300);
  });

  test('answers with a phrase when the output has no other line', async () => {
    const answers = new Set<string | null>();
    for (let seed = 1; seed <= 100; seed++) answers.add((await sample(seed, TASK, '42\n')).answer);
    expect(answers).toEqual(new Set(['42', 'Done.', 'I could not find out.']));
  });

  test.each([undefined, null, 'odd', {}, 0, -1, parseExactly('18446744073709551615')])(
    'accepts %j as a seed',
    async (seed) => {
      const given = typeof seed === 'bigint' ? Number(seed) : seed;
      expect(await sample(given)).toEqual(await sample(given));
    },
  );
});
