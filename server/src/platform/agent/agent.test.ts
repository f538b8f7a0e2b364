import { describe, expect, test } from 'vitest';
import {
  call,
  defineTool,
  ECHO,
  MemoryTranscript,
  respond,
  run,
  ScriptedModel,
  usageOf,
} from '../../../test/agent-world.ts';
import { ApiError } from '../errors.ts';
import { AgentAbort, AgentTimeout } from './ports.ts';

const echo = (text: string, id = '') => call('echo', { text }, id);

describe('runAgent', () => {
  test('stores the instruction, each turn and each result, and ends with the answer as it is', async () => {
    const model = new ScriptedModel(respond('', echo('a', 'x'), echo('b', 'y')), respond('  done\n'));
    const { result, messages } = await run(model, { instruction: ' Do\nit. ' });
    expect(result).toEqual({ stopReason: 'finished', answer: '  done\n', turns: 2 });
    expect(messages.map(({ id, role, content }) => [id, role, content])).toEqual([
      ['instruction', 'user', ' Do\nit. '],
      ['turn-1', 'assistant', ''],
      ['turn-1/0', 'tool', 'echo: a'],
      ['turn-1/1', 'tool', 'echo: b'],
      ['turn-2', 'assistant', '  done\n'],
    ]);
    expect(messages[1]).toMatchObject({ usage: usageOf(10, 5), metadata: { finish_reason: 'tool_calls' } });
    expect(messages[3]).toMatchObject({ tool_call_id: 'y' });
  });

  test('sends the system prompt, the tools and the conversation in the form of OpenAI', async () => {
    const model = new ScriptedModel(respond('Look.', echo('a', 'x')), respond('done'));
    await run(model);
    expect(model.requests[1]).toEqual({
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'Do it.' },
        {
          role: 'assistant',
          content: 'Look.',
          tool_calls: [{ id: 'x', type: 'function', function: { name: 'echo', arguments: '{"text":"a"}' } }],
        },
        { role: 'tool', tool_call_id: 'x', content: 'echo: a' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'echo', description: ECHO.description, parameters: ECHO.parameters },
        },
      ],
    });
  });

  test('gives the provider back the fields that it needs, also after a replay', async () => {
    const extra = { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] };
    const signed = { ...echo('a', 'x'), extra: { extra_content: { google: { thought_signature: 's' } } } };
    const transcript = new MemoryTranscript();
    const broken = new ScriptedModel({ ...respond('', echo('b', 'w'), signed), extra });
    await expect(run(broken, { transcript })).rejects.toThrow('script of the model has ended');
    const model = new ScriptedModel(respond('done'));
    await run(model, { transcript });
    expect(model.requests[0]?.messages[2]).toMatchObject({
      ...extra,
      tool_calls: [{ id: 'w' }, { id: 'x', extra_content: { google: { thought_signature: 's' } } }],
    });
  });

  test.each(['', 'half an ans'])(
    'ends when a response is cut off at %j without a tool call',
    async (content) => {
      const model = new ScriptedModel({ ...respond(content), finishReason: 'length' });
      const { result } = await run(model);
      expect(result).toEqual({ stopReason: 'finished', answer: content, turns: 1 });
    },
  );
});

describe('runAgent with tool calls', () => {
  const failing = defineTool('fail', () => Promise.reject(new Error('no luck')));

  test.each([
    [call('none', {}), 'There is no tool none. The tools are: echo, fail.'],
    [call('echo', '{"text": '), 'The arguments of echo must be a JSON object.'],
    [call('echo', '["text"]'), 'The arguments of echo must be a JSON object.'],
    [call('echo', 'null'), 'The arguments of echo must be a JSON object.'],
    [call('echo', ''), 'The arguments of echo lack text.'],
    [call('echo', { toString: 1 }), 'The arguments of echo lack text.'],
    [call('fail', { text: '' }), 'The tool fail failed: no luck'],
    [
      call('echo', { text: 'x'.repeat(1_000_000) }),
      'The arguments of echo must have fewer than 1000000 characters.',
    ],
  ])('returns an error message to the model for call %# that cannot be run', async (wrong, message) => {
    const { result, messages } = await run(new ScriptedModel(respond('', wrong), respond('done')), {
      tools: [ECHO, failing],
    });
    expect(messages[2]).toMatchObject({ role: 'tool', content: message });
    expect(result.stopReason).toBe('finished');
  });

  test('throws the cause of an AgentAbort', async () => {
    const gone = new Error('gone');
    const tools = [defineTool('echo', () => Promise.reject(new AgentAbort(gone)))];
    await expect(run(new ScriptedModel(respond('', echo('a'))), { tools })).rejects.toBe(gone);
  });

  test('gives a call a new id when the model gave none, one twice, or one of an earlier turn', async () => {
    const model = new ScriptedModel(
      respond(
        '',
        echo('a'),
        echo('b', 'x'),
        echo('c', 'x'),
        echo('d', 'call_1_0'),
        echo('e', 'y'.repeat(999)),
      ),
      respond('', echo('f', 'x')),
      respond('done'),
    );
    const { messages } = await run(model);
    const ids = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
    expect(ids).toEqual(['call_1_0', 'x', 'call_1_2', 'call_1_3', 'call_1_4', 'call_2_0']);
    expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(ids);
  });

  test('cuts the middle of a long output', async () => {
    const { messages } = await run(
      new ScriptedModel(respond('', echo('x'.repeat(100_000))), respond('done')),
    );
    expect(messages[2]?.content.length).toBeLessThan(32_100);
    expect(messages[2]?.content).toContain('[… 68006 characters left out …]');
  });
});

describe('runAgent with limits', () => {
  const loop = (content: string, more = {}) => ({ ...respond(content, echo('a')), ...more });

  test('ends at the last turn with the last text that is not blank', async () => {
    const model = new ScriptedModel(loop('first'), loop('second'), loop(' \n'), loop('never'));
    const { result, messages } = await run(model, { limits: { maxTurns: 3 } });
    expect(result).toEqual({ stopReason: 'max_turns', answer: 'second', turns: 3 });
    expect(messages.at(-1)).toMatchObject({ id: 'turn-3/0', role: 'tool' });
  });

  test('bounds each call by the output tokens that are left', async () => {
    const model = new ScriptedModel(loop('a'), loop('b'), loop('never'));
    const { result } = await run(model, { limits: { maxTurns: 9, maxOutputTokens: 8 } });
    expect(result).toMatchObject({ stopReason: 'output_tokens', turns: 2 });
    expect(model.requests.map(({ max_tokens }) => max_tokens)).toEqual([8, 3]);
  });

  test('counts the cost of calls that have a price', async () => {
    const usage = usageOf(1, 1, 0.4);
    const model = new ScriptedModel(loop('a', { usage }), loop('b'), loop('c', { usage }), loop('never'));
    const { result } = await run(model, { limits: { maxTurns: 9, maxCostUsd: 0.7 } });
    expect(result).toMatchObject({ stopReason: 'cost', turns: 3 });
  });

  test('keeps a final answer that reaches a limit', async () => {
    const { result } = await run(new ScriptedModel(respond('done')), {
      limits: { maxTurns: 1, maxOutputTokens: 1 },
    });
    expect(result).toMatchObject({ stopReason: 'finished', answer: 'done' });
  });
});

describe('runAgent after its timeout', () => {
  test('aborts a model call', async () => {
    const time = new AbortController();
    const model = new ScriptedModel(respond('a', echo('a')), (_, signal) => {
      time.abort(new AgentTimeout());
      throw signal.reason;
    });
    const { result } = await run(model, { signal: time.signal });
    expect(result).toEqual({ stopReason: 'timeout', answer: 'a', turns: 1 });
  });

  test('aborts a tool, and leaves a transcript in which each call has a result', async () => {
    const time = new AbortController();
    const slow = defineTool('slow', async (_, signal) => {
      time.abort(new AgentTimeout());
      throw new AgentAbort(signal.reason);
    });
    const model = new ScriptedModel(respond('a', call('slow', { text: '' }), echo('b')));
    const { result, messages } = await run(model, { signal: time.signal, tools: [ECHO, slow] });
    expect(result.stopReason).toBe('timeout');
    expect(messages.slice(2).map(({ content }) => content)).toEqual([
      'The time for the task was up before this tool had finished.',
      'The time for the task was up before this tool was run.',
    ]);
  });

  test('keeps a final answer that arrived just before the timeout', async () => {
    const time = new AbortController();
    const model = new ScriptedModel(() => {
      time.abort(new AgentTimeout());
      return respond('done');
    });
    const { result } = await run(model, { signal: time.signal });
    expect(result.stopReason).toBe('finished');
  });

  test.each(['model', 'tool', 'start'])(
    'rethrows the abort reason when the signal was aborted for another reason (%s)',
    async (where) => {
      const reason = new Error('cancelled');
      const work = new AbortController();
      if (where === 'start') work.abort(reason);
      const model = new ScriptedModel(() => {
        if (where === 'model') work.abort(reason);
        if (where === 'model') throw new Error('aborted');
        return respond('', echo('a'));
      });
      const tools = [
        defineTool('echo', async () => {
          work.abort(reason);
          throw new Error('aborted');
        }),
      ];
      await expect(run(model, { signal: work.signal, tools })).rejects.toBe(reason);
    },
  );
});

describe('runAgent with a model that fails', () => {
  test('ends with an error when the provider refuses the request', async () => {
    const model = new ScriptedModel(respond('a', echo('a')), () => {
      throw new ApiError('invalid_error', 'No such parameter.');
    });
    const { result } = await run(model);
    expect(result).toEqual({ stopReason: 'error', answer: 'a', turns: 1, error: 'No such parameter.' });
  });

  test.each([
    new ApiError('bad_gateway_error', 'Down.'),
    new ApiError('forbidden_error', 'No.'),
    new Error('Bug.'),
  ])('throws an error that a retry may avoid: %s', async (error) => {
    const model = new ScriptedModel(() => {
      throw error;
    });
    await expect(run(model)).rejects.toBe(error);
  });
});

describe('runAgent with a hostile model', () => {
  test('runs 128 of 10,000 calls of a turn and reports the dropped ones to the model', async () => {
    let count = 0;
    const tools = [defineTool('echo', async () => `${++count}`)];
    const many = Array.from({ length: 10_000 }, () => echo('a', 'same'));
    const { result, messages } = await run(new ScriptedModel(respond('', ...many), respond('done')), {
      tools,
    });
    expect(result.stopReason).toBe('finished');
    expect(count).toBe(128);
    expect(messages).toHaveLength(1 + 1 + 128 + 1);
    expect(messages.at(-2)?.content).toBe(
      '128\n[9872 more calls of this turn were not run: at most 128 are run in one turn.]',
    );
  });

  test('replaces text that PostgreSQL cannot store before storing and sending it', async () => {
    const odd = 'a\0b\ud800c';
    const tools = [defineTool('echo', async () => odd)];
    const model = new ScriptedModel(
      respond(odd, call(odd, odd, odd), echo('a', '\0'), echo('b', '\ufffd')),
      respond(odd),
    );
    const { result, messages } = await run(model, { tools, instruction: odd });
    expect(result.answer).toBe('a\ufffdb\ufffdc');
    const stored = JSON.stringify(messages);
    expect(stored).not.toMatch(/\\u0000|\\ud800/);
    expect(JSON.stringify(model.requests)).not.toMatch(/\\u0000|\\ud800/);
    expect(messages[3]?.content).toBe('a\ufffdb\ufffdc');
    expect(messages[1]?.tool_calls).toMatchObject([{ name: 'a_b_c' }, { id: '\ufffd' }, { id: 'call_1_2' }]);
  });

  test('returns an error to the model for a call whose arguments are nested 100,000 deep', async () => {
    const deep = `{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { result } = await run(new ScriptedModel(respond('', call('echo', deep)), respond('done')));
    expect(result.stopReason).toBe('finished');
  });
});
