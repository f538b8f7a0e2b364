/** Sessions and traces for the tests of the console. */
import { randomBytes } from 'node:crypto';
import type { Client } from '../../server/test/harness.ts';
import { assistant, saveSession, user } from '../../server/test/transcripts.ts';

export const PLACE = '/o/main/w/main';

/** A PNG of one pixel. */
export const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const call = (id: string, name: string, args: object) => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

export const result = (tool_call_id: string, content: string, metadata?: object) => ({
  role: 'tool',
  tool_call_id,
  content,
  ...(metadata && { metadata }),
});

/** A session with one of everything: thoughts, calls, an error, an image, a compaction. */
export async function saveFullSession(client: Client, more: object = {}) {
  const session = await saveSession(client, {
    title: 'Repair the parser',
    agent: 'helper',
    labels: { team: ['red'] },
    ...more,
  });
  const usage = { input_tokens: 1_200, output_tokens: 80, cost_usd: 0.0042 };
  await session.append(
    [
      user('Why do the **tests** fail?', {
        metadata: { openai: { content: [{ type: 'image_url', image_url: { url: PIXEL } }] } },
      }),
      assistant('I look at the files first.', {
        metadata: { reasoning_content: 'The user wants to know why.' },
        tool_calls: [
          call('c1', 'bash', { command: 'npm test' }),
          call('c2', 'read_file', { path: 'parser.ts' }),
        ],
        usage,
      }),
      result('c1', 'exit code: 1\nstderr:\nAssertionError: expected 2 to be 3', { is_error: true }),
      result(
        'c2',
        Array.from({ length: 60 }, (_, line) => `${line + 1}: const value${line} = ${line};`).join('\n'),
      ),
      assistant(
        'The parser skips the last token:\n\n```ts\nwhile (at < end - 1) at++;\n```\n\n| file | line |\n|---|---|\n| parser.ts | 12 |',
        {
          usage,
        },
      ),
      user('מה השתנה בקובץ?'),
      assistant('תיקנתי את הלולאה.', { usage }),
    ],
    { model: 'acme/large', system_prompt: 'You repair programs. Be brief.' },
  );
  await session.compact(4, user('So far: the tests fail because of the parser.'));
  await session.append([user('Thanks'), assistant('The tests pass now.', { usage })]);
  return session;
}

export const hex = (bytes: number) => randomBytes(bytes).toString('hex');

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Milliseconds after the start of the trace. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes?: Readonly<Record<string, string | number>>;
  readonly error?: string;
}

const BEGIN_MS = Date.UTC(2026, 0, 10);

export async function pushSpans(client: Client, spans: readonly SentSpan[]): Promise<void> {
  const nano = (milliseconds: number) =>
    String(BigInt(Math.round((BEGIN_MS + milliseconds) * 1_000)) * 1_000n);
  const sent = spans.map(({ startMs, durationMs, attributes = {}, error, ...span }) => ({
    ...span,
    kind: 1,
    startTimeUnixNano: nano(startMs),
    endTimeUnixNano: nano(startMs + durationMs),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    })),
    ...(error !== undefined && { status: { code: 2, message: error } }),
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'agent' } }] };
  const answer = await client.post('/org/main/otel/traces', {
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'tests' }, spans: sent }] }],
  });
  if (answer.status !== 200 || answer.body.partialSuccess?.rejectedSpans)
    throw new Error(`Spans were refused: ${JSON.stringify(answer.body)}`);
}

/** An agent that calls a model and tools, one of which fails. */
export async function pushTrace(client: Client, more: Readonly<Record<string, string>> = {}) {
  const traceId = hex(16);
  const [root, model, tool] = [hex(8), hex(8), hex(8)];
  const chat = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'acme/large',
    'gen_ai.usage.input_tokens': 420,
    'gen_ai.usage.output_tokens': 42,
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Why?' }] }]),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'text', content: 'Because.' }] },
    ]),
  };
  await pushSpans(client, [
    {
      traceId,
      spanId: root,
      name: 'repair the parser',
      startMs: 0,
      durationMs: 900,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper', ...more },
    },
    {
      traceId,
      spanId: model,
      parentSpanId: root,
      name: 'chat acme/large',
      startMs: 10,
      durationMs: 400,
      attributes: chat,
    },
    {
      traceId,
      spanId: tool,
      parentSpanId: root,
      name: 'execute_tool bash',
      startMs: 420,
      durationMs: 200,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'bash' },
      error: 'exit code 1',
    },
    { traceId, spanId: hex(8), parentSpanId: tool, name: 'spawn', startMs: 430, durationMs: 100 },
    {
      traceId,
      spanId: hex(8),
      parentSpanId: root,
      name: 'chat acme/large',
      startMs: 640,
      durationMs: 240,
      attributes: chat,
    },
  ]);
  return { traceId, root, model, tool };
}
