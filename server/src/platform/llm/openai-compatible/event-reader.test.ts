import { expect, test } from 'vitest';
import { EventReader, EventTooLongError } from './event-reader.ts';

function read(pieces: readonly Buffer[]): string[] {
  const events: string[] = [];
  const reader = new EventReader((data) => events.push(data.toString()));
  for (const piece of pieces) reader.feed(piece);
  reader.end();
  return events;
}

const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ['as all do', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['a mix of ends', 'data: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\n\n', ['a', 'b', 'c', 'd']],
  ['no space', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
  [
    'comments and other fields',
    ': hi\n\nevent: x\nid: 7\ndata: a\nretry: 5\n\n:\n\ndatax: no\ndat\n\n',
    ['a'],
  ],
  ['several lines', 'data: {\ndata: "ü":1\ndata: }\n\n', ['{\n"ü":1\n}']],
  ['several lines with CRLF', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
  ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
  ['no blank line at the end', 'data: a\n\ndata: b\n', ['a', 'b']],
  ['no end of the line at the end', 'data: a\n\ndata: b', ['a', 'b']],
  ['characters of many bytes', 'data: ü€😀\n\ndata: 日本\n\n', ['ü€😀', '日本']],
  ['many blank lines', '\n\n\ndata: a\n\n\n\n\ndata: b\n\n', ['a', 'b']],
  ['no data', 'data\n\ndata:\n\ndata: a\n\n', ['', 'a']],
  ['nothing', '', []],
];

test.each(CASES)('%s', (_, text, expected) => {
  expect(read([Buffer.from(text)])).toEqual(expected);
});

test.each(CASES)('%s, cut anywhere', (_, text, expected) => {
  const bytes = Buffer.from(text);
  expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
  for (let a = 0; a <= bytes.length; a++) {
    for (let b = a; b <= bytes.length; b++) {
      expect(read([bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)])).toEqual(expected);
    }
  }
});

test.each([
  ['one line', 'x'.repeat(1_000)],
  ['many lines', `data: ${'x'.repeat(1_000)}\n`],
])('an event of %s without an end is given up', (_, piece) => {
  const reader = new EventReader(() => undefined);
  reader.feed(Buffer.from('data: '));
  const feedAll = () => {
    for (let n = 0; n < 20_000; n++) reader.feed(Buffer.from(piece));
  };
  expect(feedAll).toThrow(EventTooLongError);
});

test.each(['data:\n', 'data:\r'])('so is one of empty lines, before it fills the memory: %j', (line) => {
  const reader = new EventReader(() => undefined);
  const lines = Buffer.from(line.repeat(200_000));
  expect(() => reader.feed(lines)).toThrow(EventTooLongError);
});

test('a stream with ends of one kind is looked through once', () => {
  const reader = new EventReader(() => undefined);
  const begun = performance.now();
  for (const end of ['\r', '\n', '\r\n']) reader.feed(Buffer.from(`:${end}`.repeat(500_000)));
  expect(performance.now() - begun).toBeLessThan(3_000);
});

test('comments that come byte by byte are no event', () => {
  let count = 0;
  const reader = new EventReader(() => count++);
  const byte = Buffer.from('c');
  for (let n = 0; n < 200_000; n++) {
    reader.feed(Buffer.from(':'));
    reader.feed(byte);
    reader.feed(Buffer.from('\n'));
  }
  reader.feed(Buffer.from('data: a\n\n'));
  expect(count).toBe(1);
});

test('a long stream of events is none', () => {
  let count = 0;
  const reader = new EventReader(() => count++);
  const event = Buffer.from(`data: ${'x'.repeat(100_000)}\n\n: ${'c'.repeat(100_000)}\n\n`);
  for (let n = 0; n < 400; n++) {
    reader.feed(event.subarray(0, 7_777));
    reader.feed(event.subarray(7_777));
  }
  expect(count).toBe(400);
});
