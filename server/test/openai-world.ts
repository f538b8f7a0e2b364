/** A gateway with scripted providers, OpenAI's own client for it, and the calls that it has recorded. */
import { sql } from 'kysely';
import OpenAI, { APIError } from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { beforeEach, expect, vi } from 'vitest';
import type { Db } from '../src/platform/db/connect.ts';
import { atEndOfFile } from './end-of-file.ts';
import { startTestServer, type TestServerOptions } from './harness.ts';
import { answers, startModelProvider } from './model-provider.ts';

export const PROVIDER_KEY = 'sk-the-key-of-the-provider';

interface WrittenCall {
  readonly id: string;
  readonly model: string;
  readonly status: string;
  readonly error_type: string | null;
  readonly is_streamed: boolean;
  readonly is_estimated: boolean;
  readonly session_id: string | null;
  readonly trace_id: Buffer | null;
  readonly span_id: Buffer | null;
  readonly first_byte_ms: number | null;
  /** null if the call was not counted. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly credits: number | null;
}

/** @param more additional providers beside the scripted one */
export async function startOpenAiWorld(
  environment: NodeJS.ProcessEnv = {},
  options: TestServerOptions = {},
  more: readonly object[] = [],
) {
  const provider = await startModelProvider();
  atEndOfFile(provider.close);
  const allowed = { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1', ...environment };
  const server = await startTestServer(allowed, [], options);
  const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const base = { kind: 'openai_compatible', base_url: provider.baseUrl, api_key: PROVIDER_KEY };
  const models = [
    { name: 'large', input_price: 2, output_price: 8 },
    // One credit per token.
    { name: 'dear/est', input_price: 1_000, output_price: 1_000, max_output_tokens: 1_000 },
  ];
  const providers = [
    { ...base, name: 'acme', models },
    { ...base, name: 'hasty', timeout_seconds: 1, models },
    ...more,
  ];
  const listed = await server.as(server.owner).put('/org/main/inference/providers', { providers });
  if (listed.status !== 200) throw new Error(JSON.stringify(listed.body));

  let before = new Set<string>();
  const allCalls = async (): Promise<WrittenCall[]> => {
    const calls = await server.db
      .selectFrom('inference_calls as c')
      .innerJoin('organizations as o', 'o.id', 'c.organization_id')
      .leftJoin('usage_events as u', (join) =>
        join
          .onRef('u.organization_id', '=', 'c.organization_id')
          .on('u.source', '=', 'gateway')
          .on('u.external_id', '=', sql<string>`c.id::text`),
      )
      .select(['c.id', 'c.model', 'c.status', 'c.error_type', 'c.is_streamed', 'c.is_estimated'])
      .select(['c.session_id', 'c.trace_id', 'c.span_id', 'c.first_byte_ms'])
      .select(['u.input_tokens', 'u.output_tokens', 'u.credits'])
      .where('o.key', '=', 'main')
      .orderBy('c.id')
      .execute();
    const count = (value: unknown) => (value === null ? null : Number(value));
    return calls.map((call) =>
      Object.assign(call, {
        input_tokens: count(call.input_tokens),
        output_tokens: count(call.output_tokens),
        credits: count(call.credits),
      }),
    );
  };
  beforeEach(async () => {
    before = new Set((await allCalls()).map(({ id }) => id));
    provider.always(answers());
  });

  /** The calls recorded since the test began, in order. */
  const written = async () => (await allCalls()).filter(({ id }) => !before.has(id));
  return {
    server,
    provider,
    inferenceUrl: `${origin}/api/v1/org/main/inference`,
    chatUrl: `${origin}/api/v1/org/main/inference/v1/chat/completions`,
    written,
    /** Calls of disconnected clients are recorded after the disconnect. */
    writtenLater: (count = 1) =>
      vi.waitUntil(
        async () => {
          const calls = await written();
          return calls.length >= count && calls;
        },
        { interval: 20 },
      ),
    clientOf: (apiKey: string, maxRetries = 0, org = 'main') =>
      new OpenAI({ baseURL: `${origin}/api/v1/org/${org}/inference/v1`, apiKey, maxRetries }),
  };
}

export const hello: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello, world' }];
export const large = { model: 'acme/large', messages: hello };

/** Keeps calls from being recorded while `work` runs, like a database that waits for locks. */
export async function whileUnwritable(db: Db, work: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE inference_calls IN EXCLUSIVE MODE /* of every organization */`.execute(trx);
    await work();
  });
}

export const scripted = (steps: unknown) => ({
  model: 'sim/scripted',
  messages: [
    { role: 'system', content: `\`\`\`sim\n${JSON.stringify(steps)}\n\`\`\`` },
    { role: 'user', content: 'Begin.' },
  ] satisfies ChatCompletionMessageParam[],
});

/** The hexadecimal digits of the call id in a response id. */
export const callIdOf = ({ id }: { readonly id: string }) => id.replace('chatcmpl-', '').replaceAll('-', '');

export async function failureOf(work: PromiseLike<unknown>): Promise<APIError> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}
