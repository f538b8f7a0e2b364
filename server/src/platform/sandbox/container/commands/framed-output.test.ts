import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FramedOutput } from './framed-output.ts';

const MARK = 'f00df00df00df00df00df00df00df00d';

/** Creates the engine's side of a connection. */
function open() {
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  return { connection, output: new FramedOutput(connection, MARK) };
}

function frame(stream: 1 | 2, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

const textOf = async (stream: AsyncIterable<Buffer>) => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const SESSION = Buffer.concat([
  frame(1, `${MARK} runs 17\n`),
  frame(1, 'out'),
  frame(2, `err${MARK.slice(0, 20)}`),
  frame(1, `${MARK.slice(0, 30)}put`),
  frame(2, `${MARK} ended 3.`),
  frame(1, `${MARK} ended 3.and what comes later`),
]);

describe('FramedOutput', () => {
  test.each([1, 2, 3, 7, 8, 9, 33, 1000])('separates the outputs in pieces of %i bytes', async (size) => {
    const { connection, output } = open();
    const read = Promise.all([textOf(output.stdout), textOf(output.stderr)]);
    for (let at = 0; at < SESSION.length; at += size) connection.push(SESSION.subarray(at, at + size));
    expect(await output.begun).toBe('runs 17');
    expect(await output.ended).toBe(3);
    expect(await read).toEqual([`out${MARK.slice(0, 30)}put`, `err${MARK.slice(0, 20)}`]);
  });

  test('passes on a mark that nothing follows as output', async () => {
    const { connection, output } = open();
    const read = textOf(output.stdout);
    output.stderr.resume();
    const written = `${MARK}${MARK} and some more text of no meaning at all`;
    connection.push(frame(1, written));
    connection.push(null);
    expect(await output.ended).toBeUndefined();
    output.finish();
    expect(await read).toBe(written);
  });

  test('ends both outputs without an exit code when the connection ends', async () => {
    const { connection, output } = open();
    connection.push(frame(1, `half${MARK.slice(0, 5)}`));
    connection.destroy();
    expect(await output.ended).toBeUndefined();
    expect(await output.begun).toBeUndefined();
    output.finish();
    output.stderr.resume();
    expect(await textOf(output.stdout)).toBe(`half${MARK.slice(0, 5)}`);
  });

  test('fails both outputs of a lost command', async () => {
    const { connection, output } = open();
    connection.push(frame(1, 'half'));
    connection.push(null);
    await output.ended;
    output.fail(new Error('it was lost'));
    await expect(textOf(output.stdout)).rejects.toThrow('it was lost');
  });

  test('applies backpressure for a slow reader until unread output may be dropped', async () => {
    const { connection, output } = open();
    const piece = frame(1, Buffer.alloc(64 * 1024, 'x'));
    for (let n = 0; n < 10; n++) connection.push(piece);
    await turn();
    expect(connection.isPaused()).toBe(true);
    expect(output.stdout.readableLength).toBeLessThan(512 * 1024);
    output.dropUnread();
    connection.push(frame(2, `${MARK} ended 137.`));
    connection.push(frame(1, `${MARK} ended 137.`));
    expect(await output.ended).toBe(137);
    expect((await textOf(output.stdout)).length).toBeGreaterThan(0);
  });

  test('ignores an output whose reader has gone', async () => {
    const { connection, output } = open();
    output.stdout.destroy();
    for (let n = 0; n < 20; n++) connection.push(frame(1, Buffer.alloc(64 * 1024)));
    connection.push(frame(2, `kept${MARK} ended 0.`));
    connection.push(frame(1, `${MARK} ended 0.`));
    expect(await textOf(output.stderr)).toBe('kept');
    expect(await output.ended).toBe(0);
  });
});
