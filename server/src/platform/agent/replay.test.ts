/** A process may die at any moment: the next one continues the run, and the transcript is the same as without the kill. */
import { describe, expect, test } from 'vitest';
import { call, defineTool, MemoryTranscript, respond, run, usageOf } from '../../../test/agent-world.ts';
import { ApiError } from '../errors.ts';
import type { AgentOptions } from './agent.ts';
import { AgentAbort, type AgentModel, type ModelResponse } from './ports.ts';

class Killed extends Error {}

/** Counts the moments of a run and throws at the given one. */
class Moments {
  count = 0;
  readonly #killAt: number;

  constructor(killAt = Infinity) {
    this.#killAt = killAt;
  }

  readonly pass = () => {
    if (++this.count === this.#killAt) throw new Killed();
  };
}

const echo = (text: string) => call('echo', { text }, text);

const SCRIPT: ModelResponse[] = [
  respond('', echo('a'), echo('b')),
  respond('', echo('c')),
  respond('', echo('d'), call('none'), echo('e')),
  respond('', echo('f')),
  respond('done'),
];

const isSummaryRequest = (messages: readonly unknown[]) =>
  JSON.stringify(messages[0]).includes('You summarize');

/**
 * Finds its place in the script from the conversation, as a model does: every response names its step, and a summary names the last step
 * that it was shown.
 */
class SteppingModel implements AgentModel {
  readonly #transcript: MemoryTranscript;
  readonly #script: readonly ModelResponse[];
  readonly #moments: Moments;

  constructor(transcript: MemoryTranscript, script: readonly ModelResponse[], moments: Moments) {
    this.#transcript = transcript;
    this.#script = script;
    this.#moments = moments;
  }

  async call({ messages }: { messages: readonly unknown[] }): Promise<ModelResponse> {
    const steps = [...JSON.stringify(messages).matchAll(/step (\d+)/g)].map(([, step]) => Number(step));
    const last = Math.max(0, ...steps);
    this.#moments.pass();
    if (isSummaryRequest(messages))
      return { ...respond(`Summary of step ${last}.`), usage: usageOf(50, 7, 0.5) };
    const isStored = this.#transcript.all.some(({ id }) => id === `turn-${last + 1}`);
    if (isStored) throw new Error(`Turn ${last + 1} is stored, and is asked for again.`);
    const response = this.#script[last];
    if (!response) throw new Error('The script has ended.');
    this.#moments.pass();
    return { ...response, content: `step ${last + 1} ${response.content}` };
  }
}

interface Play {
  readonly script: readonly ModelResponse[];
  readonly options?: Partial<AgentOptions>;
}

function play({ script, options }: Play, eras: MemoryTranscript['eras'], moments: Moments) {
  const transcript = new MemoryTranscript(moments.pass);
  transcript.eras.splice(0, Infinity, ...eras);
  const tools = [
    defineTool('echo', async ({ text }) => {
      try {
        moments.pass();
        return `echo: ${String(text)}`;
      } catch (error) {
        throw new AgentAbort(error);
      }
    }),
  ];
  const model = new SteppingModel(transcript, script, moments);
  return { transcript, outcome: run(model, { tools, ...options, transcript }) };
}

async function expectSameAfterKills(given: Play) {
  const whole = new Moments();
  const reference = play(given, [[]], whole);
  const { result } = await reference.outcome;
  expect(whole.count).toBeGreaterThan(20);
  for (let killAt = 1; killAt <= whole.count; killAt++) {
    const first = play(given, [[]], new Moments(killAt));
    await expect(first.outcome).rejects.toBeInstanceOf(Killed);
    const second = play(given, first.transcript.eras, new Moments());
    expect((await second.outcome).result, `killed at ${killAt}`).toEqual(result);
    expect(second.transcript.eras, `killed at ${killAt}`).toEqual(reference.transcript.eras);
  }
  return { result, eras: reference.transcript.eras };
}

/** Each process dies at its fifth moment. */
async function playWithManyKills(given: Play) {
  let { transcript, outcome } = play(given, [[]], new Moments(5));
  for (let round = 0; round < 100; round++) {
    const ended = await outcome.catch((error: unknown) => error);
    if (!(ended instanceof Killed)) return { ended, eras: transcript.eras };
    ({ transcript, outcome } = play(given, transcript.eras, new Moments(5)));
  }
  throw new Error('It does not come to an end.');
}

test('runAgent ends with the same transcript and result when it was killed at any moment', async () => {
  const { result, eras } = await expectSameAfterKills({ script: SCRIPT });
  expect(result).toEqual({ stopReason: 'finished', answer: 'step 5 done', turns: 5 });
  expect(eras).toHaveLength(1);
});

test('runAgent ends at the same limit when it was killed at any moment', async () => {
  const limits = { maxTurns: 3 };
  const { result } = await expectSameAfterKills({ script: SCRIPT, options: { limits } });
  expect(result).toEqual({ stopReason: 'max_turns', answer: 'step 3 ', turns: 3 });
});

test('runAgent ends when it is killed again and again', async () => {
  const { eras } = await expectSameAfterKills({ script: SCRIPT });
  expect((await playWithManyKills({ script: SCRIPT })).eras).toEqual(eras);
});

test('runAgent calls neither model nor tools when the transcript is finished', async () => {
  const first = play({ script: SCRIPT }, [[]], new Moments());
  const { result } = await first.outcome;
  const second = play({ script: [] }, first.transcript.eras, new Moments(1));
  expect((await second.outcome).result).toEqual(result);
});

describe('compaction', () => {
  /** The third and the fifth response fill more than 8,000 of 10,000 tokens. */
  const usages = [10, 10, 6_000, 10, 6_000, 10].map((input) => usageOf(input, 2, 0.25));
  const script = [...SCRIPT.slice(0, 4), respond('', echo('g')), respond('done')].map((response, index) =>
    Object.assign({}, response, { usage: { ...usages[index], cache_read_input_tokens: 2_000 } }),
  );
  const options = { contextWindow: 10_000, instruction: 'Do it.\nExactly.' };

  test('begins a new era with the instruction and a summary, and survives a kill at any moment', async () => {
    const { result, eras } = await expectSameAfterKills({ script, options });
    expect(result).toEqual({ stopReason: 'finished', answer: 'step 6 done', turns: 6 });
    expect(eras.map((messages) => messages.map(({ id }) => id))).toEqual([
      [
        'instruction',
        'turn-1',
        'turn-1/0',
        'turn-1/1',
        'turn-2',
        'turn-2/0',
        'turn-3',
        'turn-3/0',
        'turn-3/1',
        'turn-3/2',
      ],
      ['summary-1', 'turn-4', 'turn-4/0', 'turn-5', 'turn-5/0'],
      ['summary-2', 'turn-6'],
    ]);
    const [summary] = eras[2] ?? [];
    expect(summary?.content).toMatch(/^Do it\.\nExactly\.\n\nThe conversation .*\n\nSummary of step 5\.$/s);
    expect(summary).toMatchObject({ role: 'user', usage: usageOf(50, 7, 0.5), metadata: { turns: 5 } });
    expect((await playWithManyKills({ script, options })).eras).toEqual(eras);
  });

  test('counts summaries toward tokens and cost, but not toward turns', async () => {
    const limits = (more: object) => ({ script, options: { ...options, limits: { maxTurns: 4, ...more } } });
    const outcome = async (more: object) => (await play(limits(more), [[]], new Moments()).outcome).result;
    expect(await outcome({})).toMatchObject({ stopReason: 'max_turns', turns: 4, answer: 'step 4 ' });
    expect(await outcome({ maxOutputTokens: 13 })).toMatchObject({ stopReason: 'output_tokens', turns: 3 });
    // The answer comes from the previous era.
    expect(await outcome({ maxCostUsd: 1.25 })).toEqual({ stopReason: 'cost', turns: 3, answer: 'step 3 ' });
  });

  test('compacts before the next call when the tool results alone would fill the context', async () => {
    const long = [respond('', call('echo', { text: 'x'.repeat(40_000) })), respond('done')];
    const { transcript, outcome } = play({ script: long, options }, [[]], new Moments());
    expect((await outcome).result.stopReason).toBe('finished');
    expect(transcript.eras).toHaveLength(2);
  });
});

describe('runAgent with a context that overflows', () => {
  const overflow = (message: string) => new ApiError('invalid_error', message);

  /** Refuses conversations of more than `most` messages. */
  function refusing(
    most: number,
    message: string,
    { refusesSummary = false } = {},
  ): AgentModel & { asked: string[] } {
    const asked: string[] = [];
    let turn = 0;
    return {
      asked,
      call: async ({ messages }) => {
        const isSummary = isSummaryRequest(messages);
        asked.push(isSummary ? 'summary' : 'turn');
        if (isSummary ? refusesSummary : messages.length > most) throw overflow(message);
        if (isSummary) return respond('Summary.');
        return ++turn === 4 ? respond('done') : respond('', echo('a'));
      },
    };
  }

  test.each([
    "The provider acme refused the request: This model's maximum context length is 8192 tokens.",
    'The provider acme refused the request: prompt is too long: 208310 tokens > 200000 maximum',
    'The provider acme refused the request: The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'The provider acme refused the request: Input is too long for requested model.',
  ])('compacts once and retries: %s', async (message) => {
    const model = refusing(4, message);
    const { result } = await run(model);
    expect(result).toMatchObject({ stopReason: 'finished', turns: 4 });
    expect(model.asked).toEqual(['turn', 'turn', 'turn', 'summary', 'turn', 'turn']);
  });

  test('ends when it overflows after the compaction', async () => {
    const asked: string[] = [];
    const model: AgentModel = {
      call: async ({ messages }) => {
        asked.push(isSummaryRequest(messages) ? 'summary' : 'turn');
        if (asked.length === 1) return respond('', echo('a'));
        if (isSummaryRequest(messages)) return respond('Summary.');
        throw overflow('prompt is too long');
      },
    };
    expect((await run(model)).result).toMatchObject({
      stopReason: 'error',
      turns: 1,
      error: 'prompt is too long',
    });
    expect(asked).toEqual(['turn', 'turn', 'summary', 'turn']);
  });

  test('ends when the instruction alone overflows', async () => {
    const model = refusing(1, 'context_length_exceeded');
    const { result } = await run(model);
    expect(result).toEqual({ stopReason: 'error', answer: '', turns: 0, error: 'context_length_exceeded' });
    expect(model.asked).toEqual(['turn']);
  });

  test('ends when the summary is refused too', async () => {
    const model = refusing(3, 'prompt is too long', { refusesSummary: true });
    const { result } = await run(model);
    expect(result).toMatchObject({ stopReason: 'error', turns: 1, error: 'prompt is too long' });
    expect(model.asked).toEqual(['turn', 'turn', 'summary']);
  });

  test('shows the summarizing model no more characters than the context has tokens', async () => {
    const sizes: number[] = [];
    const model: AgentModel = {
      call: async ({ messages, tools }) => {
        if (!isSummaryRequest(messages))
          return {
            ...respond('', ...Array.from({ length: 9 }, (_, index) => echo(`${index}`.repeat(20_000)))),
            usage: usageOf(99_999, 1),
          };
        expect(tools).toBeUndefined();
        sizes.push(JSON.stringify(messages).length);
        return respond('');
      },
    };
    const transcript = new MemoryTranscript();
    await run(model, { transcript, contextWindow: 20_000, limits: { maxTurns: 3 } });
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThan(22_000);
    expect(transcript.current[0]?.content).toContain('look at the files');
  });
});
