/** COPY through the protocol messages that `pg` passes on. */
import type pg from 'pg';

interface Connection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

const PIECE_BYTES = 64 * 1024;

/** The methods that `pg` calls while a statement runs. */
class Copying {
  readonly received: Buffer[] = [];
  readonly done = Promise.withResolvers<void>();
  private readonly text: string;
  private readonly content: Uint8Array;

  constructor(text: string, content: Uint8Array) {
    this.text = text;
    this.content = content;
  }

  submit(connection: Connection): void {
    connection.query(this.text);
  }

  handleCopyInResponse(connection: Connection): void {
    for (let at = 0; at < this.content.length; at += PIECE_BYTES)
      connection.sendCopyFromChunk(this.content.subarray(at, at + PIECE_BYTES));
    connection.endCopyFrom();
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.received.push(Buffer.from(chunk));
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.done.reject(error);
  }

  handleReadyForQuery(): void {
    this.done.resolve();
  }
}

/** @returns the rows of a query, in binary */
export async function copyOut(client: pg.ClientBase, query: string): Promise<Buffer> {
  const copying = new Copying(`COPY (${query}) TO STDOUT (FORMAT binary)`, Buffer.alloc(0));
  client.query(copying as unknown as pg.Submittable);
  await copying.done.promise;
  return Buffer.concat(copying.received);
}

/** @param content as `copyOut` returns it */
export async function copyIn(client: pg.ClientBase, table: string, content: Uint8Array): Promise<void> {
  const copying = new Copying(`COPY ${table} FROM STDIN (FORMAT binary)`, content);
  client.query(copying as unknown as pg.Submittable);
  await copying.done.promise;
}
