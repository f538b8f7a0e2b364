/**
 * Events of a resource, as they happen. A browser opens at most six connections to a server over HTTP/1.1, for all of its pages together,
 * and the server at most 20 streams for a user. So pages that show the same resource share one stream: the page that holds the lock of the
 * resource reads it and passes its events on, and when it is closed or hidden, another page gets the lock. A hidden page reads
 * nothing and catches up when it is shown again. All pages together have at most four streams open, which leaves connections for requests.
 */
import { type EventOptions, type EventStream, isDrydockError, type ServerEvent } from '@drydock/sdk';
import { useEffect, useEffectEvent } from 'react';

const AGAIN_MS = 2_000;
const MAX_STREAMS = 4;

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
    void followEvents(name, {
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
  const channel = new BroadcastChannel(`events/${name}`);
  signal.addEventListener('abort', () => channel.close(), { once: true });
  let lastEventId: string | undefined;
  const take = (event: ServerEvent) => {
    if (event.id !== undefined) lastEventId = event.id;
    if (!signal.aborted) handle(event);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<ServerEvent>) => take(data));
  // A page that was opened while another one reads the stream is told by nobody that events arrive.
  handle({ id: undefined, type: 'start', data: {} });

  /** @returns whether nothing more will come */
  const read = async (whileShown: AbortSignal): Promise<boolean> => {
    const stream = open({
      lastEventId: lastEventId ?? 'latest',
      reconnectForMs: Infinity,
      signal: whileShown,
    });
    try {
      for await (const event of stream) {
        take(event);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, unlike a window
        if (!signal.aborted) channel.postMessage(event);
      }
      return !whileShown.aborted;
    } catch (error) {
      // The resource was deleted or may not be read any more: its page finds that out by itself.
      if (isDrydockError(error) && (error.status === 403 || error.status === 404)) return true;
      // Events of before a restored backup cannot be resumed from.
      if (isDrydockError(error, 'validation_error')) lastEventId = undefined;
      await pause(AGAIN_MS, whileShown);
      return false;
    }
  };

  for (let isOver = false; !isOver && !signal.aborted; ) {
    await becomeShown(signal);
    const whileShown = AbortSignal.any([signal, hidden()]);
    isOver = await withLock(`events/${name}`, whileShown, () => withSlot(whileShown, () => read(whileShown)));
  }
}

/** @returns false where the signal was aborted before the lock was had */
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

/** Takes one of a few slots: one that is free, or else the one that it waits for. */
async function withSlot(signal: AbortSignal, work: () => Promise<boolean>): Promise<boolean> {
  if (!('locks' in navigator)) return work();
  for (let slot = 0; slot < MAX_STREAMS; slot++) {
    const isOver = await navigator.locks.request(`event-streams/${slot}`, { ifAvailable: true }, (lock) =>
      lock ? work() : undefined,
    );
    if (isOver !== undefined) return isOver;
  }
  return withLock(`event-streams/${Math.floor(Math.random() * MAX_STREAMS)}`, signal, work);
}

async function becomeShown(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

/** Aborted when the page is hidden. */
function hidden(): AbortSignal {
  const controller = new AbortController();
  if (document.hidden) controller.abort();
  document.addEventListener('visibilitychange', () => controller.abort(), {
    once: true,
    signal: controller.signal,
  });
  return controller.signal;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
