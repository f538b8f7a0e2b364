/** A terminal between two processes: a link on the host's side, and one on the other that does the same, with frames between them. */
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';
import { LinkEnd, type TerminalLink } from '../terminals/terminal-link.ts';
import { FRAMES, type Frame, readFrames, sendFrame, sendPieces } from './frames.ts';

/** A host that lives says so; one that has not been heard of for so long is lost. */
const BEAT_MS = 5_000;
const SILENCE_MS = 20_000;
const LEAVING_MS = 2_000;

const Started = z.object({ terminalId: z.string(), offset: z.int(), lost: z.int() });
const Size = z.object({ columns: z.int(), rows: z.int() });
const Offset = z.object({ offset: z.int() });

const toJson = (content: object) => Buffer.from(JSON.stringify(content));
const fromJson = <Content>(schema: z.ZodType<Content>, { payload }: Frame) =>
  schema.parse(JSON.parse(payload.toString()));

/** On the host's side. Who leaves detaches. */
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
  await sendFrame(connection, FRAMES.started, toJson({ terminalId, offset, lost }));
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
  for await (const frame of readFrames(connection)) {
    if (frame.type === FRAMES.stdin) await link.write(frame.payload);
    else if (frame.type === FRAMES.resize) link.resize(fromJson(Size, frame));
    else if (frame.type === FRAMES.acknowledge) link.acknowledge(fromJson(Offset, frame).offset);
    else if (frame.type === FRAMES.hangUp) link.hangUp();
  }
}

/** On the other side. @throws where the host is lost before it has begun */
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
  #heardAt = performance.now();
  #isReading = false;

  constructor(
    connection: Duplex,
    frames: AsyncGenerator<Frame>,
    { terminalId, offset, lost }: z.output<typeof Started>,
  ) {
    this.terminalId = terminalId;
    this.offset = offset;
    this.lost = lost;
    this.#connection = connection;
    this.#frames = frames;
    const watch = setInterval(() => this.#watch(), BEAT_MS);
    connection.once('close', () => clearInterval(watch));
    if (connection.destroyed) clearInterval(watch);
  }

  get ended(): Promise<LinkEnd> {
    return this.#ended.promise;
  }

  async read(): Promise<Buffer | undefined> {
    this.#isReading = true;
    this.#heardAt = performance.now();
    try {
      return await this.#readNext();
    } catch {
      return this.#end({ kind: 'lost' });
    } finally {
      this.#isReading = false;
    }
  }

  async write(bytes: Buffer): Promise<void> {
    await sendPieces(this.#connection, FRAMES.stdin, bytes);
  }

  resize({ columns, rows }: TerminalSize): void {
    void sendFrame(this.#connection, FRAMES.resize, toJson({ columns, rows }));
  }

  acknowledge(offset: number): void {
    void sendFrame(this.#connection, FRAMES.acknowledge, toJson({ offset }));
  }

  /** What was said before still arrives. */
  detach(): void {
    this.#ended.resolve({ kind: 'detached' });
    this.#connection.end();
    const late = setTimeout(() => this.#connection.destroy(), LEAVING_MS);
    this.#connection.once('close', () => clearTimeout(late)).resume();
  }

  hangUp(): void {
    void sendFrame(this.#connection, FRAMES.hangUp);
  }

  async #readNext(): Promise<Buffer | undefined> {
    for (;;) {
      const next = await this.#frames.next();
      if (next.done) return this.#end({ kind: 'lost' });
      this.#heardAt = performance.now();
      const { type, payload } = next.value;
      if (type === FRAMES.stdout) return payload;
      if (type === FRAMES.ended) return this.#end(fromJson(LinkEnd, next.value));
    }
  }

  #end(end: LinkEnd): undefined {
    this.#ended.resolve(end);
    this.#connection.destroy();
  }

  /** While nobody reads there is nothing to be heard. */
  #watch(): void {
    if (this.#isReading && performance.now() - this.#heardAt > SILENCE_MS) this.#connection.destroy();
  }
}
