/**
 * Follows the events of resources. A browser opens at most six connections to a server over HTTP/1.1, for all of its pages together,
 * and the server allows at most 20 streams per user. So pages that show the same resource share one stream: the page that holds the lock of the
 * resource reads it and passes its events on, and when it is closed or hidden, another page gets the lock. A hidden page reads
 * nothing and catches up when it is shown again. All pages together have at most four streams open, which leaves connections for requests.
 */
import { type EventOptions, type EventStream, isDrydockError, type ServerEvent } from '@drydock/sdk';
import { useEffect, useEffectEvent } from 'react';

/** A stream that failed is opened again after this long. */
const RETRY_MS = 2_000;
const MAX_STREAMS = 4;

export interface LiveResource {
  /** Unique among all resources, such as `evaluations/{id}`; undefined to follow nothing. */
  readonly name: string | undefined;
  readonly open: (options: EventOptions) => EventStream;
  readonly onEvent: (event: ServerEvent) => void;
  /** Called when the stream has started: anything that was read before may be outdated. */
  readonly onStart: () => void;
}

/** Follows the events of a resource while the component is mounted. */
export function useLiveEvents({ name, open, onEvent, onStart }: LiveResource): void {
  const openStream = useEffectEvent(open);
  const handle = useEffectEvent((event: ServerEvent) => {
    if (event.type === 'start') onStart();
    else onEvent(event);
  });
  useEffect(() => {
    if (name === undefined) return undefined;
    const leaving = new AbortController();
    void followEvents(name, {
      open: (options) => openStream(options),
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
  const receive = (event: ServerEvent) => {
    if (event.id !== undefined) lastEventId = event.id;
    if (!signal.aborted) handle(event);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<ServerEvent>) => receive(data));
  // The page may have been opened while another one reads the stream. It then misses the event `start` of the stream, and starts here.
  handle({ id: undefined, type: 'start', data: {} });

  /** @returns whether the stream has ended for good, so that it must not be opened again */
  const readStream = async (whileVisible: AbortSignal): Promise<boolean> => {
    const stream = open({
      lastEventId: lastEventId ?? 'latest',
      reconnectForMs: Infinity,
      signal: whileVisible,
    });
    try {
      for await (const event of stream) {
        receive(event);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, unlike a window
        if (!signal.aborted) channel.postMessage(event);
      }
      return !whileVisible.aborted;
    } catch (error) {
      // The resource was deleted, or the user lost access to it. Its page shows that when it reads the resource.
      if (isDrydockError(error) && (error.status === 403 || error.status === 404)) return true;
      // The server does not know the last event, for example after a backup was restored. The stream starts with new events.
      if (isDrydockError(error, 'validation_error')) lastEventId = undefined;
      await delay(RETRY_MS, whileVisible);
      return false;
    }
  };

  for (let isOver = false; !isOver && !signal.aborted; ) {
    await waitUntilVisible(signal);
    const whileVisible = AbortSignal.any([signal, abortWhenHidden()]);
    isOver = await withLock(`events/${name}`, whileVisible, () =>
      withSlot(whileVisible, () => readStream(whileVisible)),
    );
  }
}

/** @returns false when the signal was aborted before the lock was granted */
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

/** Runs `work` in one of the slots for streams. When no slot is free, it waits for a random one. */
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

async function waitUntilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

/** @returns a signal that is aborted when the page is hidden */
function abortWhenHidden(): AbortSignal {
  const controller = new AbortController();
  if (document.hidden) controller.abort();
  document.addEventListener('visibilitychange', () => controller.abort(), {
    once: true,
    signal: controller.signal,
  });
  return controller.signal;
}

async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
