/**
 * Operations that take a while: their caller is watched during the work, and receives progress if requested. An early end is a signal to
 * the handler, which decides what to leave undone.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Budget } from '../../admission/budget.ts';
import { watchCaller } from '../caller-watch.ts';
import type { Call, Progress } from '../operations.ts';
import { toErrorBody } from '../responses/error-responses.ts';
import type { ConnectionTimings } from './event-connection.ts';
import { toErrorFrame, toPassingFrame } from './event-format.ts';
import { EventWriter } from './event-writer.ts';

export type Live = Pick<Call<never, never, never, never>, 'signal' | 'emit'>;

export interface Work<Result> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Fails when the caller is no longer authorized. */
  readonly recheck: () => Promise<unknown>;
  readonly run: (live: Live) => Result | Promise<Result>;
}

export interface FollowedWork extends Work<unknown> {
  /** User whose connections are counted together. */
  readonly userId: string | undefined;
  readonly progress: Progress;
}

/** Decided by the `Accept` header when it names one of the two; JSON when it names both. */
export function wantsEvents({ headers }: FastifyRequest, { field }: Progress, body: unknown): boolean {
  if (field !== undefined && (body as Record<string, unknown> | undefined)?.[field] === true) return true;
  const { accept = '' } = headers;
  return /\btext\/event-stream\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}

/** Runs without events: the caller has disconnected when its connection closes before the response. */
export async function attendWork<Result>(
  { reply, recheck, run }: Work<Result>,
  { recheckMs }: ConnectionTimings,
): Promise<Result> {
  const watch = watchCaller(recheck, recheckMs);
  const { raw } = reply;
  // A closed connection after the complete response is not a disconnect.
  const leave = () => raw.writableFinished || watch.leave();
  raw.once('close', leave);
  if (raw.destroyed) watch.leave();
  try {
    return await run({ signal: watch.signal, emit: undefined });
  } finally {
    raw.off('close', leave);
    watch.end();
  }
}

/** Errors before the first event are ordinary error responses; later ones become the last event. */
export async function followWork(
  work: FollowedWork,
  slots: Budget,
  timings: ConnectionTimings,
): Promise<FastifyReply> {
  const free = slots.hold(work.userId);
  const watch = watchCaller(work.recheck, timings.recheckMs);
  const writer = new EventWriter(work.reply, timings);
  writer.signal.addEventListener('abort', watch.leave);
  if (writer.isOver) watch.leave();
  // A heartbeat shows that an operation without progress so far is alive.
  const silence = setTimeout(() => writer.hasBegun || writer.begin(), timings.heartbeatMs);
  try {
    const lastFrame = await emitAll(work, writer, watch.signal);
    clearTimeout(silence);
    if (!writer.hasBegun) writer.begin();
    await writer.send(lastFrame);
    watch.end();
    writer.hangUp('');
    return work.reply;
  } finally {
    clearTimeout(silence);
    watch.end();
    free();
  }
}

/** @returns the last event */
async function emitAll(
  { request, progress, run }: FollowedWork,
  writer: EventWriter,
  signal: AbortSignal,
): Promise<string> {
  const { events, end } = progress;
  const emit = async (type: string, data: unknown) => {
    if (signal.aborted) return;
    const frame = toPassingFrame(type, z.encode(schemaOf(events, type), data));
    if (!writer.hasBegun) writer.begin();
    await writer.send(frame);
  };
  try {
    const response = await run({ signal, emit });
    signal.throwIfAborted();
    return toPassingFrame(end.type, z.encode(end.data, response));
  } catch (error) {
    if (!writer.hasBegun) throw error;
    const envelope = toErrorBody(error, request);
    if (envelope.code === 500 && !writer.isOver) request.log.error({ err: error }, 'request failed');
    return toErrorFrame(envelope);
  }
}

function schemaOf(events: Progress['events'], type: string): z.ZodType {
  const schema = events[type];
  if (!schema) throw new Error(`The operation sent an event "${type}", which it does not declare.`);
  return schema;
}
