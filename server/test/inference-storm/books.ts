/** Compares the database after a storm, row by row, with the records of callers and provider. */
import type pg from 'pg';
import { expect } from 'vitest';
import { completionIdOf } from '../metered-calls.ts';
import type { CallNote } from './caller.ts';
import { type CallPlan, costOf, creditsOf, DOLLAR, estimatedTokens, type Tokens, WORD } from './plans.ts';
import type { ScriptedProvider } from './scripted-provider.ts';

/** A call that the gateway has recorded. */
export interface CallRow {
  readonly id: string;
  readonly user_id: string;
  readonly model: string;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly is_streamed: boolean;
  readonly is_estimated: boolean;
  readonly trace_id: string;
  readonly span_id: string;
  readonly started_ms: number;
  /** undefined: the call is not counted. */
  readonly usage: Usage | undefined;
}

interface Usage {
  readonly tokens: Tokens;
  /** In units of 1 / DOLLAR. */
  readonly cost: bigint;
  readonly credits: number;
}

type Row = Omit<CallRow, 'usage' | 'started_ms'> & {
  readonly started_ms: string;
  readonly input_tokens: string;
  readonly output_tokens: string;
  readonly cache_read_input_tokens: string;
  readonly cache_creation_input_tokens: string;
  readonly cost: string;
  readonly credits: string | null;
};

export async function readCalls(client: pg.Client): Promise<CallRow[]> {
  const { rows } = await client.query<Row>(`
    SELECT c.id, c.user_id, c.model, c.status, c.is_streamed, c.is_estimated,
           encode(c.trace_id, 'hex') AS trace_id, encode(c.span_id, 'hex') AS span_id,
           round(extract(epoch FROM c.started_at) * 1000) AS started_ms,
           u.input_tokens, u.output_tokens, u.cache_read_input_tokens, u.cache_creation_input_tokens,
           trunc(u.cost_usd * ${DOLLAR}) AS cost, u.credits
      FROM inference_calls AS c
      LEFT JOIN usage_events AS u
        ON u.organization_id = c.organization_id AND u.source = 'gateway' AND u.external_id = c.id::text`);
  return rows.map(toCall);
}

function toCall(row: Row): CallRow {
  const usage = row.credits === null ? undefined : toUsage(row);
  return { ...row, started_ms: Number(row.started_ms), usage };
}

function toUsage(row: Row): Usage {
  return {
    tokens: {
      input: Number(row.input_tokens),
      output: Number(row.output_tokens),
      cacheRead: Number(row.cache_read_input_tokens),
      cacheCreation: Number(row.cache_creation_input_tokens),
    },
    cost: BigInt(row.cost),
    credits: Number(row.credits),
  };
}

/**
 * Checks that each call is recorded at most as often as allowed, with its usage.
 * @returns the calls whose outcome their callers do not know
 */
export function auditCalls(
  notes: readonly CallNote[],
  rows: readonly CallRow[],
  provider: ScriptedProvider,
): { uncertain: number; counted: number } {
  const byTrace = Map.groupBy(rows, ({ trace_id }) => trace_id);
  let uncertain = 0;
  let counted = 0;
  for (const note of notes) {
    const written = byTrace.get(note.plan.traceId) ?? [];
    byTrace.delete(note.plan.traceId);
    const describe = () =>
      JSON.stringify({ note, written }, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    if (written.length > 1) throw new Error(`written twice: ${describe()}`);
    const fault = findFault(note, written[0], provider);
    if (fault) throw new Error(`${fault}: ${describe()}`);
    if (note.outcome.kind === 'broken') uncertain++;
    if (written[0]?.usage) counted++;
  }
  expect([...byTrace.values()], 'nobody made these calls').toEqual([]);
  return { uncertain, counted };
}

function findFault(note: CallNote, row: CallRow | undefined, provider: ScriptedProvider): string | undefined {
  const { plan, outcome } = note;
  if (outcome.kind === 'whole') return row ? findFaultOfWhole(note, row) : 'an answered call is not written';
  if (!row) return outcome.kind === 'refused' && mustBeWritten(note) ? 'a failure is not written' : undefined;
  if (outcome.kind === 'refused' && row.usage) return 'what was refused is counted';
  if (outcome.kind === 'refused' && row.status !== 'failed') return `what was refused is ${row.status}`;
  return findFaultOfRow(note, row) ?? (row.usage && findFaultOfUsage(plan, row, row.usage, provider));
}

/** Whether the provider received the request; a call refused before that is not recorded. */
const mustBeWritten = ({ outcome, callId }: CallNote) =>
  outcome.kind === 'refused' && outcome.status !== 429 && outcome.status !== 404 && callId !== undefined;

function findFaultOfRow(note: CallNote, row: CallRow): string | undefined {
  const { plan, user, sentAt, endedAt, callId, outcome } = note;
  if (row.user_id !== user.id || row.model !== plan.model) return 'it is of another';
  if (row.is_streamed !== plan.isStreamed || row.span_id !== plan.spanId) return 'it is another call';
  if (callId !== undefined && row.id !== callId) return 'its caller was told another id';
  // A client that disconnected may have done so before the server read its request.
  if (row.started_ms < sentAt || (row.started_ms > endedAt && outcome.kind !== 'broken'))
    return 'it was made at another time';
  const { usage } = row;
  if (usage && usage.cost !== costOf(row.model, usage.tokens)) return 'it costs something else';
  if (usage && usage.credits !== creditsOf(usage.cost)) return 'it is charged otherwise';
  return undefined;
}

function findFaultOfWhole(note: CallNote, row: CallRow): string | undefined {
  const { outcome, plan } = note;
  if (outcome.kind !== 'whole') return undefined;
  if (completionIdOf(row.id) !== outcome.completionId) return 'the answer has another id';
  if (row.status !== 'completed' || !row.usage) return 'an answered call is not counted';
  if (!isSame(row.usage.tokens, outcome.tokens)) return 'an answered call has other tokens';
  if (row.is_estimated !== (plan.deed === 'keep quiet')) return 'it is not clear who counted';
  return findFaultOfRow(note, row);
}

/** Usage of a call whose response no caller read to the end: as the provider reported it, or an estimate of what it can have sent. */
function findFaultOfUsage(
  plan: CallPlan,
  row: CallRow,
  { tokens }: Usage,
  provider: ScriptedProvider,
): string | undefined {
  if (plan.model.startsWith('sim/')) return undefined; // no other party knows its output
  if (!provider.asked.has(plan.number)) return 'the provider was never asked';
  if (!row.is_estimated && !provider.reported.has(plan.number)) return 'the provider did not tell';
  if (!row.is_estimated) return isSame(tokens, plan.tokens) ? undefined : 'the provider told something else';
  const most = estimatedTokens(plan, WORD.length * plan.words);
  if (provider.reported.has(plan.number) && isSame(tokens, { ...plan.tokens, output: tokens.output }))
    return undefined;
  return tokens.input === most.input && tokens.output <= most.output ? undefined : 'it is estimated wrongly';
}

const isSame = (a: Tokens, b: Tokens) =>
  a.input === b.input &&
  a.output === b.output &&
  a.cacheRead === b.cacheRead &&
  a.cacheCreation === b.cacheCreation;
