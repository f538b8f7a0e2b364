/**
 * Events of a resource, as they happen. A browser opens at most six connections to a server over HTTP/1.1, for all of its pages together,
 * and the server at most 20 streams for a user. So pages that show the same resource share one stream: the page that holds the lock of the
 * resource reads it and passes its events on, and when it is closed or hidden, another page gets the lock. A hidden page reads
 * nothing and catches up when it is shown again. All pages together have at most four streams open, which leaves connections for requests.
 */
import { type EventOptions, type EventStream, isDrydockError, type ServerEvent } from '@drydock/sdk';
import { useEffect, useEffectEvent } from 'react';
import { login } from './client.ts';

const AGAIN_MS = 2_000;
const TURN_MS = 10_000;
const SLOTS: readonly string[] = ['event-streams/0', 'event-streams/1', 'event-streams/2', 'event-streams/3'];
const START: ServerEvent = { id: undefined, type: 'start', data: {} };

export interface LiveResource {
  /** Unique among all resources, such as `evaluations/{id}`; undefined to follow nothing. */
  readonly name: string | undefined;
  readonly open: (options: EventOptions) => EventStream;
  readonly onEvent: (event: ServerEvent) => void;
  /** Called when events have begun to arrive: anything that was read before may be outdated. */
  readonly onStart: () => void;
}

/** Follows the events of a resource while the component is mounted. */
export function useLiveEvents({ name, open, onEvent, onStart }: LiveResource): void {
  const opened = useEffectEvent(open);
  const handle = useEffectEvent((event: ServerEvent) => {
    if (event.type === 'start') onStart();
    else onEvent(event);
  });
  useEffect(() => {
    if (name === undefined) return undefined;
    const leaving = new AbortController();
    // Users of one browser share nothing.
    const state = login.getState();
    const userId = 'user' in state ? state.user.id : '';
    void followEvents(`events/${userId}/${name}`, {
      open: (options) => opened(options),
      handle: (event) => handle(event),
      signal: leaving.signal,
    });
    return () => leaving.abort();
  }, [name]);
}

interface Follower {
  readonly open: (options: EventOptions) => EventStream;
  readonly handle: (event: ServerEvent) => void;
  readonly signal: AbortSignal;
}

async function followEvents(name: string, { open, handle, signal }: Follower): Promise<void> {
  const channel = new BroadcastChannel(name);
  signal.addEventListener('abort', () => channel.close(), { once: true });
  let lastEventId: string | undefined;
  const take = (event: ServerEvent) => {
    if (event.id !== undefined) lastEventId = event.id;
    if (!signal.aborted) handle(event);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<ServerEvent>) => take(data));
  // A page that was opened while another one reads the stream gets no message that events arrive.
  handle(START);

  /** @returns whether nothing more will come */
  const read = async (turn: AbortSignal): Promise<boolean> => {
    const stream = open({
      lastEventId: lastEventId ?? 'latest',
      reconnectForMs: Infinity,
      signal: turn,
    });
    try {
      for await (const event of stream) {
        take(event);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, unlike a window
        if (!signal.aborted) channel.postMessage(event);
      }
      if (turn.aborted) return false;
      // A resource that ended before its stream was opened has no events to send, not even the start: the server responds with 204.
      take(START);
      return true;
    } catch (error) {
      // The resource was deleted or may not be read any more: its page finds that out when it reads it again.
      if (isDrydockError(error) && (error.status === 403 || error.status === 404)) {
        take(START);
        return true;
      }
      // A stream cannot be resumed from an event that precedes a restored backup.
      if (isDrydockError(error, 'validation_error')) lastEventId = undefined;
      await pause(AGAIN_MS, turn);
      return false;
    }
  };

  for (let isOver = false; !isOver && !signal.aborted; ) {
    await becomeActive(signal);
    isOver = await whileActive(signal, (active) =>
      withLock(name, active, () => withSlot(active, (turn) => read(turn))),
    );
  }
}

/** A page that is hidden, or whose sign-in has expired, reads no events, and holds no lock that another page waits for. */
const isActive = () => !document.hidden && login.getState().status === 'signed-in';

function onActivityChange(listener: () => void, signal: AbortSignal): void {
  document.addEventListener('visibilitychange', listener, { signal });
  signal.addEventListener('abort', login.subscribe(listener), { once: true });
}

async function becomeActive(signal: AbortSignal): Promise<void> {
  if (isActive() || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = new AbortController();
  signal.addEventListener('abort', () => resolve(), { signal: done.signal });
  onActivityChange(() => isActive() && resolve(), done.signal);
  await promise;
  done.abort();
}

/** Runs work with a signal that is aborted when the page becomes inactive. */
async function whileActive(
  signal: AbortSignal,
  work: (active: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const [inactive, done] = [new AbortController(), new AbortController()];
  onActivityChange(() => {
    if (!isActive()) inactive.abort();
  }, done.signal);
  try {
    return await work(AbortSignal.any([signal, inactive.signal]));
  } finally {
    done.abort();
  }
}

/** @returns false if the signal was aborted before the lock was acquired */
async function withLock(name: string, signal: AbortSignal, work: () => Promise<boolean>): Promise<boolean> {
  // Locks are missing on pages that come over plain HTTP from another machine. Each page then reads its streams itself.
  if (!('locks' in navigator)) return work();
  try {
    return await navigator.locks.request(name, { signal }, work);
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/**
 * Waits for the first of a few slots that is free. While others wait, a slot is given up after a turn: the stream goes on later after its
 * last event, so that none is lost.
 */
async function withSlot(
  signal: AbortSignal,
  work: (turn: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  if (!('locks' in navigator)) return work(signal);
  const [found, turn] = [new AbortController(), new AbortController()];
  const isFirst = () => !found.signal.aborted;
  const run = async () => {
    found.abort();
    const timer = setInterval(() => void giveWay(turn), TURN_MS);
    try {
      return await work(AbortSignal.any([signal, turn.signal]));
    } finally {
      clearInterval(timer);
    }
  };
  const waiting = AbortSignal.any([signal, found.signal]);
  const requests = SLOTS.map((slot) =>
    navigator.locks.request(slot, { signal: waiting }, () =>
      isFirst() ? run() : Promise.reject(new Error('taken')),
    ),
  );
  return Promise.any(requests).catch(() => false);
}

async function giveWay(turn: AbortController): Promise<void> {
  const { pending = [] } = await navigator.locks.query();
  if (pending.some(({ name }) => SLOTS.includes(name ?? ''))) turn.abort();
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = new AbortController();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => resolve(), { signal: done.signal });
  await promise;
  clearTimeout(timer);
  done.abort();
}
