/**
 * Events of a resource, as they happen. All pages of this browser that show the same resource share one connection: a browser opens at
 * most six to a server, and the server at most 20 streams for a user. The page that holds the lock of the resource reads the stream and
 * passes its events on; when it is closed, another page gets the lock.
 */
import { type EventOptions, type EventStream, isDrydockError, type ServerEvent } from '@drydock/sdk';
import { useEffect, useEffectEvent } from 'react';

const AGAIN_MS = 2_000;

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
  const lead = async () => {
    while (!signal.aborted) {
      const stream = open({ lastEventId: lastEventId ?? 'latest', reconnectForMs: Infinity, signal });
      try {
        for await (const event of stream) {
          take(event);
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, unlike a window
          if (!signal.aborted) channel.postMessage(event);
        }
        return; // Nothing more will come.
      } catch (error) {
        // The resource was deleted or may not be read any more: its page finds that out by itself.
        if (isDrydockError(error) && (error.status === 403 || error.status === 404)) return;
        // Events of before a restored backup cannot be resumed from.
        if (isDrydockError(error, 'validation_error')) lastEventId = undefined;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  };
  try {
    // Locks are missing on pages that come over plain HTTP from another machine. Each page then reads the stream itself.
    if ('locks' in navigator) await navigator.locks.request(`events/${name}`, { signal }, lead);
    else await lead();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
