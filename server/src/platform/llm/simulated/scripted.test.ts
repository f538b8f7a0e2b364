import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  ask,
  askInPieces,
  assistant,
  callOf,
  chatOf,
  scripted,
  toolResult,
  user,
} from '../../../../test/simulated-responses.ts';
import { settlesSoon } from '../../../../test/soon.ts';
import type { ChatMessage, ChatRequest } from '../chat-model.ts';

const content = async (script: unknown, ...messages: ChatMessage[]) =>
  (await ask(scripted(script, ...messages))).message.content;

describe('the next step of sim/scripted', () => {
  const three = [{ say: 'one' }, { say: 'two' }, { say: 'three' }];
  const turns = (count: number) => Array.from({ length: count }, () => [assistant('x'), user('y')]).flat();

  test.each<[string, unknown, number, string]>([
    ['the first', three, 0, 'one'],
    ['the next after each answer', three, 2, 'three'],
    ['none after the last', three, 3, 'The script has ended.'],
    ['the last again', { steps: three, after: 'repeat' }, 5, 'three'],
    ['the first again', { steps: three, after: 'restart' }, 4, 'two'],
    ['a repeated one', [{ say: 'one', repeat: 2 }, { say: 'two' }], 1, 'one'],
    ['the step after a repeated one', [{ say: 'one', repeat: 2 }, { say: 'two' }], 2, 'two'],
    [
      'the target of a jump',
      [{ say: 'one' }, { say: 'two', label: 'a' }, { say: 'three', goto: 'a' }],
      5,
      'two',
    ],
  ])('%s', async (_, script, count, expected) => {
    expect(await content(script, user('y'), ...turns(count))).toBe(expected);
  });

  test('an end that fails', async () => {
    const script = { steps: [{ say: 'one' }], after: 'error' };
    await expect(content(script, assistant('x'))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('end'),
    });
  });

  test('ignores responses before the script', async () => {
    const messages = [
      { role: 'assistant', content: 'hello' },
      ...(scripted(three, user('y')).messages ?? []),
    ];
    expect((await ask({ model: 'scripted', messages })).message.content).toBe('one');
  });
});

describe('a case of sim/scripted', () => {
  const script = [
    {
      when: [
        { role: 'tool', contains: 'exit 1', say: 'It failed.', goto: 'again' },
        { role: 'tool', say: 'It worked.' },
        { contains: 'stop', say: 'Stopped.' },
      ],
      say: 'What?',
      label: 'again',
    },
    { say: 'Next.' },
  ];

  test.each<[readonly ChatMessage[], string]>([
    [[toolResult('exit 1')], 'It failed.'],
    [[toolResult('exit 0')], 'It worked.'],
    [[user('please stop')], 'Stopped.'],
    [[user('exit 1')], 'What?'],
    [[], 'What?'],
    // The script jumped back, and the step is due again.
    [[toolResult('exit 1'), assistant('It failed.'), toolResult('exit 0')], 'It worked.'],
    [[toolResult('exit 0'), assistant('It worked.'), toolResult('exit 0')], 'Next.'],
  ])('after %j says %s', async (messages, expected) => {
    expect(await content(script, ...messages)).toBe(expected);
  });

  test('is also searched in the text next to the script', async () => {
    const text = 'please stop\n~~~~ sim  \n[{"when": [{"contains": "stop", "say": "Stopped."}]}]\n~~~~\n';
    expect((await ask({ model: 'scripted', messages: [user(text)] })).message.content).toBe('Stopped.');
    await expect(ask({ model: 'scripted', messages: [user(text.slice(6 + 5))] })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('step 1 fits'),
    });
  });
});

test('inserts parts of the conversation', async () => {
  const script = [{ say: '{{last_user_message}}|{{last_tool_result}}|{{other}} constructor' }];
  expect(await content(script, user('a'), toolResult('$& b'))).toBe('a|$& b|{{other}} constructor');
  const inFirst = 'hello\n```sim\n[{"say": "{{last_user_message}}!"}]\n```\n';
  expect((await ask({ model: 'scripted', messages: [user(inFirst)] })).message.content).toBe('hello!');
  const long = user('x'.repeat(1_000_000));
  const many = await ask(scripted([{ say: '{{last_user_message}}'.repeat(2_000) }], long));
  expect(many).toMatchObject({ finishReason: 'length', usage: { outputTokens: 8_192 } });
});

describe('tool calls of sim/scripted', () => {
  const tools = ['add', 'now'].map((name) => ({ type: 'function', function: { name } }));
  const script = [
    {
      reasoning: 'Two at once.',
      say: 'Let me see.',
      call: [
        { name: 'add', arguments: { a: 1, of: ['{{last_user_message}}'] } },
        { name: 'now', id: 'mine' },
      ],
    },
    { call: [{ name: 'add', arguments: '{"cut' }] },
    { call: [{ name: 'rm', is_unoffered: true }] },
    { call: [{ name: 'rm' }] },
  ];
  const at = (step: number, more: Partial<ChatRequest> = {}) => ({
    ...scripted(script, user('"hi"'), ...Array.from({ length: step }, () => assistant(''))),
    tools,
    ...more,
  });

  test('are sent, several at once, whole and streamed', async () => {
    const message = {
      role: 'assistant',
      content: 'Let me see.',
      reasoning_content: 'Two at once.',
      tool_calls: [
        {
          id: 'call_0_0',
          type: 'function',
          function: { name: 'add', arguments: '{"a":1,"of":["\\"hi\\""]}' },
        },
        { id: 'mine', type: 'function', function: { name: 'now', arguments: '{}' } },
      ],
    };
    const whole = await ask(at(0));
    expect(whole).toMatchObject({ message, finishReason: 'tool_calls' });
    const inPieces = await askInPieces(at(0));
    expect(inPieces.message).toEqual(message);
    expect(inPieces.usage).toEqual(whole.usage);
  });

  test('may hold invalid JSON, and tools that were not offered, when intended', async () => {
    expect((await ask(at(1))).message.tool_calls?.[0]).toMatchObject({
      id: 'call_1_0',
      function: { arguments: '{"cut' },
    });
    expect((await ask(at(2))).message.tool_calls?.[0]?.function.name).toBe('rm');
    await expect(ask(at(3))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('rm, which is not in "tools"'),
    });
    expect((await ask(at(3, { tools: undefined }))).finishReason).toBe('tool_calls');
  });

  test('follow the tool choice of the request', async () => {
    expect(await ask(at(0, { tool_choice: 'none' }))).toMatchObject({
      message: { content: 'Let me see.' },
      finishReason: 'stop',
    });
    expect((await ask(at(0, { parallel_tool_calls: false }))).message.tool_calls).toHaveLength(1);
    expect((await ask(at(0, { tool_choice: 'required' }))).message.tool_calls).toHaveLength(2);
    const now = { type: 'function', function: { name: 'now' } };
    expect((await ask(at(0, { tool_choice: now }))).message.tool_calls).toHaveLength(2);
    await expect(ask(at(1, { tool_choice: now }))).rejects.toMatchObject({ status: 400 });
    await expect(ask({ ...scripted([{ say: 'a' }]), tool_choice: 'required' })).rejects.toMatchObject({
      status: 400,
    });
    expect((await ask(at(0, { stop: 'me' }))).message.tool_calls).toBeUndefined();
  });
});

describe('errors of sim/scripted', () => {
  test.each([
    [{ status: 400 }, 'invalid_error', 'Simulated: the script says to fail with 400.'],
    [{ status: 401 }, 'authentication_error', /401/],
    [
      { status: 429, retry_after: 7, message: 'Slow down.' },
      'usage_limit_exceeded_error',
      'Simulated: Slow down.',
    ],
    [
      { status: 429, type: 'org_sandbox_capacity_exceeded_error' },
      'org_sandbox_capacity_exceeded_error',
      /429/,
    ],
    [{ status: 500 }, 'server_error', /500/],
    [{ status: 504 }, 'gateway_timeout_error', /504/],
  ])('%j', async (error, type, message) => {
    const expected = {
      status: error.status,
      type,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      headers: 'retry_after' in error ? { 'Retry-After': '7' } : {},
    };
    await expect(ask(scripted([{ error }]))).rejects.toMatchObject(expected);
    await expect(askInPieces(scripted([{ error }]))).rejects.toMatchObject(expected);
  });

  test('end after the number of attempts in the script', async () => {
    const request = scripted([{ error: { status: 502, times: 2 }, say: 'At last.' }]);
    for (const retryCount of [0, 1])
      await expect(ask(request, { retryCount })).rejects.toMatchObject({ status: 502 });
    expect((await ask(request, { retryCount: 2 })).message.content).toBe('At last.');
  });

  test('a stream that breaks off has sent its content before', async () => {
    const request = scripted([{ say: 'one two three', break_off: { after: 4, times: 1 } }]);
    const call = callOf({ ...request, stream: true });
    let text = '';
    const reading = async () => {
      for await (const { chunks } of await chatOf('scripted').stream(call)) text += JSON.stringify(chunks);
    };
    await expect(reading()).rejects.toMatchObject({ status: 502, type: 'bad_gateway_error' });
    expect(text.match(/"content":"[^"]+"/g)).toEqual(['"content":"one"', '"content":" two"']);
    expect(text).not.toContain('"finish_reason":"');
    await expect(ask(request)).rejects.toMatchObject({ status: 502 });
    expect((await askInPieces(request, { retryCount: 1 })).message.content).toBe('one two three');
  });
});

test.each<[unknown, unknown]>([
  [
    {
      prompt_tokens: 5,
      completion_tokens: 6,
      prompt_tokens_details: { cached_tokens: 2, cache_creation_tokens: 1 },
    },
    { inputTokens: 5, outputTokens: 6, cacheReadInputTokens: 2, cacheCreationInputTokens: 1 },
  ],
  [
    { prompt_tokens: 5, completion_tokens: 6 },
    { inputTokens: 5, outputTokens: 6, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  ],
  [{ prompt_tokens: -5, completion_tokens: 6 }, undefined],
  [{ prompt_tokens: 5, completion_tokens: 'six' }, undefined],
  [{ prompt_tokens: 2 ** 31, completion_tokens: 6 }, undefined],
  [{ prompt_tokens: 5 }, undefined],
  ['nonsense', undefined],
  [null, undefined],
])('the scripted usage %j is returned unchanged, and metered when plausible', async (usage, believed) => {
  const request = { ...scripted([{ say: 'a', usage }]), stream_options: { include_usage: true } };
  const { completion, usage: read } = await chatOf('scripted').complete(callOf(request));
  expect(completion['usage'] ?? null).toEqual(usage);
  expect(read).toEqual(believed);
  const { chunks, usage: streamed } = await askInPieces(request);
  expect(chunks.at(-1)?.['usage'] ?? null).toEqual(usage);
  expect(streamed).toEqual(believed);
});

test('the usage is streamed only on request', async () => {
  const request = scripted([{ say: 'a' }]);
  const asked = await askInPieces({ ...request, stream_options: { include_usage: true } });
  expect(asked.chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 1 } });
  expect(asked.chunks.slice(0, -1).map(({ usage }) => usage)).toEqual([null, null, null]);
  const unasked = await askInPieces(request);
  expect(unasked.chunks.some((chunk) => 'usage' in chunk)).toBe(false);
  expect(unasked.usage).toEqual(asked.usage);
});

test('ends with the reason given by the script', async () => {
  const request = scripted([{ say: 'a b', finish_reason: 'content_filter' }]);
  expect((await ask(request)).finishReason).toBe('content_filter');
  expect((await askInPieces(request)).finishReason).toBe('content_filter');
  expect((await ask({ ...request, max_tokens: 1 })).finishReason).toBe('length');
});

test('sends chunks of the size given by the script', async () => {
  const { chunks } = await askInPieces(scripted([{ say: '12🌍45', chunk_size: 3 }]));
  const text = chunks.map((chunk) => JSON.stringify(chunk['choices'])).join();
  expect([...text.matchAll(/"content":"([^"]+)"/g)].map(([, piece]) => piece)).toEqual(['12🌍', '45']);
});

describe('delays of sim/scripted', () => {
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const slow = scripted([{ say: 'one two three', delay_ms: 60, chunk_delay_ms: 30 }]);

  test('a whole response takes as long as its stream', async () => {
    expect(await timed(() => ask(slow))).toBeGreaterThanOrEqual(145);
    expect(await timed(() => askInPieces(slow))).toBeGreaterThanOrEqual(145);
    const refused = scripted([{ error: { status: 500 }, delay_ms: 60 }]);
    expect(await timed(() => ask(refused).catch(() => undefined))).toBeGreaterThanOrEqual(58);
  });

  test('end at once when the caller disconnects', async () => {
    const reason = new Error('gone');
    const endless = [
      scripted([{ say: 'a b', delay_ms: 50_000 }]),
      scripted([{ say: 'a b', chunk_delay_ms: 25_000 }]),
    ];
    for (const request of endless)
      for (const wait of [ask, askInPieces]) {
        const controller = new AbortController();
        const left = expect(wait(request, { signal: controller.signal })).rejects.toBe(reason);
        await sleep(20);
        controller.abort(reason);
        expect(await settlesSoon(left)).toBe(true);
        await left;
      }
    await expect(ask(slow, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('may not add up to more than a minute', async () => {
    const request = scripted([{ say: 'a b c', delay_ms: 10_000, chunk_delay_ms: 20_000 }]);
    for (const wait of [ask, askInPieces])
      await expect(wait(request)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('70000 ms'),
      });
  });
});

describe('a bad script', () => {
  const refusal = async (text: string) => {
    const response = ask({ model: 'scripted', messages: [user(text)] });
    return response.then(
      () => '',
      (error: { status: number; message: string }) => `${error.status} ${error.message}`,
    );
  };
  const refusalOf = (script: unknown) => refusal(`\`\`\`sim\n${JSON.stringify(script)}\n\`\`\``);

  test.each<[string, string]>([
    ['hello', '400 sim/scripted follows a script'],
    ['```simple\n[]\n```', '400 sim/scripted follows a script'],
    ['```sim\n[{"say": "a"}]', 'is not closed by a line ```'],
    ['```sim\n[\n{"say": "a"},\n{"say" "b"}]\n```', 'line 3 of the block: it is not JSON'],
    [`\`\`\`sim\n${' '.repeat(70_000)}\n\`\`\``, 'longer than 65536 characters'],
    [`\`\`\`sim\n${'['.repeat(30_000)}${']'.repeat(30_000)}\n\`\`\``, 'nested deeper than 64 levels'],
  ])('%.40j is refused', async (text, message) => {
    expect(await refusal(text)).toContain(message);
  });

  test.each<[unknown, RegExp]>([
    [[], /mistake: steps: /],
    ['text', /mistake: .*object/],
    [{ steps: [{ say: 'a' }], after: 'never' }, /mistake: after: /],
    [[{ say: 5 }], /mistake: steps\[0\]\.say: /],
    [[{ say: 'a' }, { speak: 'b' }], /mistake: steps\[1\]: .*"speak"/],
    [[{}], /steps\[0\]: needs at least one of/],
    [[{ say: 'a', delay_ms: 60_001 }], /steps\[0\]\.delay_ms: .*60000/],
    [[{ say: 'a', delay_ms: -1 }], /steps\[0\]\.delay_ms: /],
    [[{ say: 'a', chunk_size: 0 }], /steps\[0\]\.chunk_size: /],
    [[{ call: [{ name: 'a' }, { arguments: {} }] }], /steps\[0\]\.call\[1\]\.name: /],
    [[{ call: [{ name: 'a', arguments: 5 }] }], /steps\[0\]\.call\[0\]\.arguments: /],
    [[{ error: { status: 418 } }], /steps\[0\]\.error\.status: /],
    [
      [{ error: { status: 429, type: 'server_error' } }],
      /steps\[0\]\.error\.type: is the type of another status/,
    ],
    [[{ when: [{ say: 'a' }] }], /steps\[0\]\.when\[0\]: needs "contains", "role" or both/],
    [[{ when: [{ contains: 'a' }] }], /steps\[0\]\.when\[0\]: needs at least one of/],
    [[{ say: 'a', goto: 'b' }], /steps\[0\]\.goto: no step has the label "b"/],
    [[{ say: 'a', when: [{ contains: 'a', say: 'b', goto: 'c' }] }], /steps\[0\]\.when\[0\]\.goto: /],
    [
      [
        { say: 'a', label: 'b' },
        { say: 'a', label: 'b' },
      ],
      /steps\[1\]\.label: another step/,
    ],
    [
      [
        { say: 'a', repeat: 600 },
        { say: 'a', repeat: 600 },
      ],
      /more than 1000 steps/,
    ],
  ])('%j is refused', async (script, message) => {
    expect(await refusalOf(script)).toMatch(message);
  });
});
