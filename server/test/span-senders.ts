/** Sends spans to a test's server and inspects the stored result. */
import { sql } from 'kysely';
import type { AnyValue } from '../src/traces/otlp/model.ts';
import type { Person, TestServer } from './harness.ts';
import { encodeJson, encodeProtobuf, makeSource, makeSpan, type SpanBatch } from './otlp-messages.ts';

export const PROTOBUF = { 'content-type': 'application/x-protobuf' };
export const JSON_TYPE = { 'content-type': 'application/json' };

export interface Pushed {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  /** The parsed body, if it is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on whole bodies of every shape
  readonly body: any;
}

export interface Sending {
  readonly who?: Person | string;
  readonly path?: string;
}

export const spansOf = (
  count: number,
  resource: Readonly<Record<string, AnyValue>> = {},
  first = 0,
): SpanBatch => ({
  source: makeSource(
    Object.entries({ 'service.name': 'agent', ...resource }).map(([key, value]) => ({
      key,
      value,
    })),
  ),
  spans: Array.from({ length: count }, (_, index) => makeSpan(first + index)),
});

export async function push(
  server: TestServer,
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = PROTOBUF,
  { who = server.owner, path = '/org/main/otel/traces' }: Sending = {},
): Promise<Pushed> {
  const key = typeof who === 'string' ? who : who.key;
  const response = await server.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${key}`, ...headers },
    payload: body,
  });
  const { statusCode: status, rawPayload: bytes } = response;
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return { status, headers: response.headers, bytes, body: isJson ? response.json() : undefined };
}

export const pushJson = (server: TestServer, batches: readonly SpanBatch[], sending?: Sending) =>
  push(server, encodeJson(batches), JSON_TYPE, sending);

export const pushProtobuf = (server: TestServer, batches: readonly SpanBatch[], sending?: Sending) =>
  push(server, encodeProtobuf(batches), PROTOBUF, sending);

/** Lists stored spans by the keys of workspace and project. */
export async function listStored(server: TestServer, organization = 'main') {
  const { rows } = await sql<{ name: string; workspace: string; project: string | null; username: string }>`
    SELECT s.name, w.key AS workspace, p.key AS project, u.username
      FROM spans s
      JOIN organizations o ON o.id = s.organization_id
      JOIN users u ON u.id = s.user_id
      JOIN workspaces w ON w.organization_id = s.organization_id AND w.id = s.workspace_id
      LEFT JOIN projects p ON p.organization_id = s.organization_id AND p.id = s.project_id
     WHERE o.key = ${organization} ORDER BY s.start_time, s.span_id /* of every organization */`.execute(
    server.db,
  );
  return rows;
}

export async function countStored(server: TestServer, organization = 'main'): Promise<number> {
  return (await listStored(server, organization)).length;
}

export const deleteSpans = (server: TestServer) =>
  sql`TRUNCATE spans, span_sources, sender_parts /* of every organization */`.execute(server.db);
