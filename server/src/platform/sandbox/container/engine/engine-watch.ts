/** Reports ended containers: from engine events, and from regular checks, which also cover times when the engine was unavailable. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { LABEL, type Ownership } from '../ownership.ts';
import type { Engine } from './engine.ts';

const POLL_INTERVAL_MS = 5_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface WatchOptions {
  readonly engine: Engine;
  readonly ownership: Ownership;
  /** May be called more than once, and for sandboxes that have not ended. */
  readonly ended: (id: string) => void;
  /** Checks everything, since any event may have been missed. */
  readonly inspect: () => Promise<void>;
}

export class EngineWatch {
  private readonly options: WatchOptions;
  private readonly pollTimer: NodeJS.Timeout;
  private readonly stop = new AbortController();
  private pauseMs = FIRST_PAUSE_MS;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions) {
    this.options = options;
    this.pollTimer = setInterval(() => this.poll(), POLL_INTERVAL_MS).unref();
    void this.listen();
  }

  close(): void {
    this.stop.abort();
    clearInterval(this.pollTimer);
    clearTimeout(this.timer);
  }

  private poll(): void {
    // An unavailable engine is checked again later.
    this.options.inspect().catch(() => undefined);
  }

  private async listen(): Promise<void> {
    const { engine } = this.options;
    const filters = { type: ['container'] };
    try {
      const abortSignal = this.stop.signal;
      const events = await engine.docker.getEvents({ filters, abortSignal } as { filters: object });
      this.pauseMs = FIRST_PAUSE_MS;
      this.poll();
      await this.follow(events as Readable);
    } catch {
      // reported by the next check
    }
    if (this.stop.signal.aborted) return;
    this.timer = setTimeout(() => void this.listen(), this.pauseMs).unref();
    this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
  }

  private async follow(events: Readable): Promise<void> {
    const { ownership } = this.options;
    const leave = () => events.destroy();
    this.stop.signal.addEventListener('abort', leave);
    events.on('error', () => undefined);
    try {
      for await (const line of createInterface({ input: events })) {
        const id = findEnded(line, ownership);
        if (id !== undefined) this.options.ended(id);
      }
    } finally {
      this.stop.signal.removeEventListener('abort', leave);
      events.destroy();
    }
  }
}

/** Docker says die, Podman died; their event filters differ even more. */
function findEnded(line: string, { hostId }: Ownership): string | undefined {
  if (!line.includes('die') || !line.includes(hostId)) return undefined;
  try {
    const event: { Action?: string; status?: string; Actor?: { Attributes?: Record<string, string> } } =
      JSON.parse(line);
    const isEnd = /^died?$/.test(event.Action ?? event.status ?? '');
    return isEnd ? event.Actor?.Attributes?.[LABEL.sandbox] : undefined;
  } catch {
    return undefined;
  }
}
