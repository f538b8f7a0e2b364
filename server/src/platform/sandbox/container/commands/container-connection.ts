/** Connects to a port in a container on another machine, through a program in the container that relays the bytes. */
import { Duplex, type Readable, type Writable } from 'node:stream';
import { nothingListens } from '../../namespaces/ports/connector.ts';
import { CONNECT } from './command-scripts.ts';
import { begin, type CommandPlace, newMark, toInput, toScriptExec, untilBegun } from './container-command.ts';
import { FramedOutput } from './framed-output.ts';

/** @throws {ApiError} `bad_gateway_error` when nothing listens there */
export async function connectTo(
  { engine, container }: CommandPlace,
  port: number,
  startup: AbortSignal,
): Promise<Relayed> {
  const mark = newMark();
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const options = toScriptExec(CONNECT, [mark, hex, String(port)]);
  const { connection } = await begin(engine, container, options, startup);
  const output = new FramedOutput(connection, mark);
  output.stderr.resume();
  const word = await untilBegun(output.begun, connection, startup);
  if (word !== 'open') {
    connection.destroy();
    throw nothingListens(port);
  }
  void output.ended.then(() => output.finish());
  return new Relayed(connection, output.stdout);
}

export class Relayed extends Duplex {
  /** Resolves when nothing is left of it at the engine. */
  readonly released: Promise<void>;
  private readonly connection: Duplex;
  private readonly input: Writable;
  private readonly source: Readable;

  constructor(connection: Duplex, source: Readable) {
    super({ allowHalfOpen: false });
    this.connection = connection;
    this.released = new Promise((released) => connection.once('close', released));
    this.input = toInput(connection);
    this.source = source;
    source.on('data', (chunk: Buffer) => void (this.push(chunk) || source.pause()));
    source.once('end', () => this.push(null));
    source.once('close', () => source.readableEnded || this.destroy());
    source.pause();
  }

  override _read(): void {
    this.source.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: () => void): void {
    this.input.write(chunk, encoding, () => done());
  }

  override _final(done: () => void): void {
    this.input.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connection.destroy();
    done(error);
  }
}
