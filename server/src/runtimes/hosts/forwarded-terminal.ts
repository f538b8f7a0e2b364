/**
 * A terminal between two processes: a link on the host's side, and one on the other side with the same interface, with frames between them.
 */
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';
import { LinkEnd, type TerminalLink } from '../terminals/terminal-link.ts';
import { FRAMES, type Frame, readFrames, sendFrame, sendPieces } from './frames.ts';

/** Milliseconds without a heartbeat after which a host is considered lost. */
const BEAT_MS = 5_000;
const SILENCE_MS = 20_000;
const LEAVING_MS = 2_000;
/** Flow-control window for input in bytes, which lets control messages through however slow the program is. */
const WINDOW_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Overhead counted per chunk: many small ones take more memory than their bytes. */
const PIECE_COST = 256;
const costOf = ({ length }: Buffer) => length + PIECE_COST;

const Started = z.object({
  terminalId: z.string(),
  offset: z.int(),
  lost: z.int(),
  /** Maximum input before the host acknowledges it; undefined for hosts that do not acknowledge. */
  window: z.int().optional(),
});
const Taken = z.object({ bytes: z.int() });
const Size = z.object({ columns: z.int(), rows: z.int() });
const Offset = z.object({ offset: z.int() });

const toJson = (content: object) => Buffer.from(JSON.stringify(content));
const fromJson = <Content>(schema: z.ZodType<Content>, { payload }: Frame) =>
  schema.parse(JSON.parse(payload.toString()));

/** Serves the link on the host's side. Closing the connection detaches. */
export async function serveLink(connection: Duplex, link: TerminalLink): Promise<void> {
  const beats = setInterval(() => {
    if (!connection.writableNeedDrain) void sendFrame(connection, FRAMES.beat);
  }, BEAT_MS);
  connection.once('close', () => {
    clearInterval(beats);
    link.detach();
  });
  if (connection.destroyed) link.detach();
  const { terminalId, offset, lost } = link;
  await sendFrame(connection, FRAMES.started, toJson({ terminalId, offset, lost, window: WINDOW_BYTES }));
  void obey(connection, link)
    .catch(() => undefined)
    .finally(() => connection.destroy());
  for (;;) {
    const bytes = await link.read();
    if (!bytes) break;
    await sendPieces(connection, FRAMES.stdout, bytes);
  }
  await sendFrame(connection, FRAMES.ended, toJson(await link.ended));
  connection.end();
}

async function obey(connection: Duplex, link: TerminalLink): Promise<void> {
  const typing = new Typing(connection, link);
  for await (const frame of readFrames(connection)) {
    if (frame.type === FRAMES.stdin) await typing.add(frame.payload);
    else if (frame.type === FRAMES.resize) link.resize(fromJson(Size, frame));
    else if (frame.type === FRAMES.acknowledge) link.acknowledge(fromJson(Offset, frame).offset);
    else if (frame.type === FRAMES.hangUp) link.hangUp();
  }
}

/** Queues input for the program while further frames are read. */
class Typing {
  readonly #connection: Duplex;
  readonly #link: TerminalLink;
  #waiting = 0;
  #taken = 0;
  #isEmitting = false;
  #last: Promise<void> = Promise.resolve();

  constructor(connection: Duplex, link: TerminalLink) {
    this.#connection = connection;
    this.#link = link;
  }

  /** Resolves at once while the sender stays within the window. */
  async add(bytes: Buffer): Promise<void> {
    this.#waiting += costOf(bytes);
    this.#last = this.#last.then(() => this.#write(bytes));
    if (this.#waiting > WINDOW_BYTES + PIECE_BYTES + PIECE_COST) await this.#last;
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#link.write(bytes);
    this.#waiting -= costOf(bytes);
    this.#taken += costOf(bytes);
    if (!this.#isEmitting) void this.#emit();
  }

  async #emit(): Promise<void> {
    this.#isEmitting = true;
    while (this.#taken > 0) {
      const bytes = this.#taken;
      this.#taken = 0;
      await sendFrame(this.#connection, FRAMES.taken, toJson({ bytes }));
    }
    this.#isEmitting = false;
  }
}

/**
 * Opens the other side of the link.
 * @throws when the host is lost before the link is established
 */
export async function openLink(connection: Duplex): Promise<TerminalLink> {
  const frames = readFrames(connection);
  const first = await frames.next();
  if (first.done || first.value.type !== FRAMES.started) throw new Error('the host said nothing');
  return new RemoteLink(connection, frames, fromJson(Started, first.value));
}

class RemoteLink implements TerminalLink {
  readonly terminalId: string;
  readonly offset: number;
  readonly lost: number;
  readonly #connection: Duplex;
  readonly #frames: AsyncGenerator<Frame>;
  readonly #ended = Promise.withResolvers<LinkEnd>();
  #lastReceivedAt = performance.now();
  #isReading = false;
  /** Bytes that may still be sent. */
  #room: number;
  #hasRoom = Promise.withResolvers<void>();
  /** The latest value of each control message that could not be sent yet. */
  #size: TerminalSize | undefined;
  #acknowledged: number | undefined;
  #isSaying = false;
  #isHungUp = false;

  constructor(
    connection: Duplex,
    frames: AsyncGenerator<Frame>,
    { terminalId, offset, lost, window }: z.output<typeof Started>,
  ) {
    this.terminalId = terminalId;
    this.offset = offset;
    this.lost = lost;
    this.#connection = connection;
    this.#frames = frames;
    this.#room = window ?? Infinity;
    connection.once('close', () => this.#makeRoom(Infinity));
    if (connection.destroyed) this.#makeRoom(Infinity);
    const watch = setInterval(() => this.#watch(), BEAT_MS);
    connection.once('close', () => clearInterval(watch));
    if (connection.destroyed) clearInterval(watch);
  }

  get ended(): Promise<LinkEnd> {
    return this.#ended.promise;
  }

  async read(): Promise<Buffer | undefined> {
    this.#isReading = true;
    this.#lastReceivedAt = performance.now();
    try {
      return await this.#readNext();
    } catch {
      return this.#end({ kind: 'lost' });
    } finally {
      this.#isReading = false;
    }
  }

  async write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      while (this.#room <= 0) await this.#hasRoom.promise;
      this.#room -= costOf(piece);
      await sendFrame(this.#connection, FRAMES.stdin, piece);
    }
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = { columns, rows };
    void this.#say();
  }

  acknowledge(offset: number): void {
    this.#acknowledged = offset;
    void this.#say();
  }

  /** Output that was sent before still arrives. */
  detach(): void {
    this.#ended.resolve({ kind: 'detached' });
    if (this.#size) void sendFrame(this.#connection, FRAMES.resize, toJson(this.#size));
    this.#connection.end();
    const late = setTimeout(() => this.#connection.destroy(), LEAVING_MS);
    this.#connection.once('close', () => clearTimeout(late)).resume();
  }

  hangUp(): void {
    if (this.#isHungUp) return;
    this.#isHungUp = true;
    void sendFrame(this.#connection, FRAMES.hangUp);
  }

  /** Sends only the latest control messages while the connection is blocked. */
  async #say(): Promise<void> {
    if (this.#isSaying) return;
    this.#isSaying = true;
    while (this.#size ?? this.#acknowledged !== undefined) {
      const [size, offset] = [this.#size, this.#acknowledged];
      this.#size = undefined;
      this.#acknowledged = undefined;
      if (size) await sendFrame(this.#connection, FRAMES.resize, toJson(size));
      if (offset !== undefined) await sendFrame(this.#connection, FRAMES.acknowledge, toJson({ offset }));
    }
    this.#isSaying = false;
  }

  #makeRoom(bytes: number): void {
    this.#room += bytes;
    this.#hasRoom.resolve();
    this.#hasRoom = Promise.withResolvers();
  }

  async #readNext(): Promise<Buffer | undefined> {
    for (;;) {
      const next = await this.#frames.next();
      if (next.done) return this.#end({ kind: 'lost' });
      this.#lastReceivedAt = performance.now();
      const { type, payload } = next.value;
      if (type === FRAMES.stdout) return payload;
      if (type === FRAMES.taken) this.#makeRoom(fromJson(Taken, next.value).bytes);
      if (type === FRAMES.ended) return this.#end(fromJson(LinkEnd, next.value));
    }
  }

  #end(end: LinkEnd): undefined {
    this.#ended.resolve(end);
    this.#connection.destroy();
  }

  /** Heartbeats are not received without a reader, so they are not checked. */
  #watch(): void {
    if (this.#isReading && performance.now() - this.#lastReceivedAt > SILENCE_MS) this.#connection.destroy();
  }
}
