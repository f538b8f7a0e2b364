/** Builds the span of a model call in OTLP/JSON, with the attributes of OpenTelemetry's GenAI conventions. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { OrgScope, WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { withoutDashes } from '../../platform/uuid.ts';
import type { CallLinks } from '../call-ledger.ts';
import type { ObservedEnd } from '../calls/model-calls.ts';
import type { AssembledMessage } from './assembled-message.ts';

export interface SpanOptions {
  readonly links: CallLinks;
  readonly session: WorkspaceScope | undefined;
  readonly end: ObservedEnd;
  readonly assembled: AssembledMessage;
}

/** Maximum length of recorded content. Longer conversations are left out, since each call of an agent repeats the whole conversation. */
const MAX_CONTENT_CHARACTERS = 100_000;
const ERROR_STATUS = 2;
const CLIENT_KIND = 3;

/** @returns undefined for a call without a trace */
export async function toCallSpan(
  db: Db,
  scope: OrgScope,
  { links, session, end, assembled }: SpanOptions,
): Promise<string | undefined> {
  const { traceId, spanId: parentSpanId, sessionId } = links;
  if (traceId === null || parentSpanId === null) return undefined;
  const workspaceId = session?.workspaceId ?? scope.principal.apiKey?.workspaceId ?? undefined;
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'drydock',
    'gen_ai.request.model': end.request.model,
    'gen_ai.response.model': end.request.model,
    // Identifies the gateway call, so that its usage is not counted twice.
    'gen_ai.response.id': `chatcmpl-${withoutDashes(end.callId)}`,
    'gen_ai.response.finish_reasons': assembled.finishReason,
    'gen_ai.usage.input_tokens': end.totals?.usage.inputTokens,
    'gen_ai.usage.output_tokens': end.totals?.usage.outputTokens,
    'session.id': sessionId,
    ...((await recordsContent(db, scope, workspaceId)) && toContent(end, assembled)),
  };
  const span = {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId,
    name: `chat ${end.request.model}`,
    kind: CLIENT_KIND,
    startTimeUnixNano: `${Date.parse(end.startedAt)}000000`,
    endTimeUnixNano: `${Date.now()}000000`,
    attributes: toAttributes(attributes),
    ...(end.failure !== undefined && { status: { code: ERROR_STATUS, message: end.failure } }),
  };
  const resource = {
    attributes: toAttributes({ 'service.name': 'drydock-gateway', 'drydock.workspace': workspaceId }),
  };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
}

/** Reads the setting of the workspace that the span goes to: the session's, the key's, or the default one. */
async function recordsContent(
  db: Db,
  { organizationId }: OrgScope,
  workspaceId: string | undefined,
): Promise<boolean> {
  const { rows } = await sql<{ record_content: boolean }>`
    SELECT record_content FROM workspaces
     WHERE organization_id = ${organizationId} AND (id = ${workspaceId ?? null} OR (${workspaceId === undefined} AND is_default))
     LIMIT 1`.execute(db);
  return rows[0]?.record_content ?? false;
}

function toContent({ request: { messages } }: ObservedEnd, { message, isSilent }: AssembledMessage) {
  const input = JSON.stringify(messages);
  const output = JSON.stringify(isSilent ? [] : [message]);
  return {
    ...(input.length <= MAX_CONTENT_CHARACTERS && { 'gen_ai.input.messages': input }),
    ...(output.length <= MAX_CONTENT_CHARACTERS && { 'gen_ai.output.messages': output }),
  };
}

type Value = string | number | null | undefined;

const toAttributes = (values: Readonly<Record<string, Value>>) =>
  Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
  });
