import { describe, expect, test } from 'vitest';
import { EventParser } from './event-parser.ts';

const message = (id: string | undefined, type: string, data: string) => ({ kind: 'message', id, type, data });

const CASES: readonly (readonly [name: string, text: string, expected: readonly unknown[]])[] = [
  ['one event', 'id: 1\nevent: started\ndata: {"a":1}\n\n', [message('1', 'started', '{"a":1}')]],
  ['no type', 'data: x\n\n', [message(undefined, 'message', 'x')]],
  ['several lines of data', 'data: a\ndata:b\ndata\n\n', [message(undefined, 'message', 'a\nb\n')]],
  ['comments', ': heartbeat\n\ndata: x\n: another\n\n', [message(undefined, 'message', 'x')]],
  ['only one space is dropped', 'data:  x\n\n', [message(undefined, 'message', ' x')]],
  ['carriage returns', 'data: a\r\rdata: b\r\n\r\n', ['a', 'b'].map((x) => message(undefined, 'message', x))],
  [
    'an id stays, a type does not',
    'id: 7\nevent: e\ndata: a\n\ndata: b\n\n',
    [message('7', 'e', 'a'), message('7', 'message', 'b')],
  ],
  ['an id with NUL is ignored', 'id: a\0b\ndata: x\n\n', [message(undefined, 'message', 'x')]],
  ['an event without data', 'event: e\nid: 1\n\n', []],
  ['an event that is cut off', 'data: x\n', []],
  ['a pause', 'retry: 250\nretry: soon\n\n', [{ kind: 'retry', pauseMs: 250 }]],
  ['a byte order mark', '\uFEFFdata: x\n\n', [message(undefined, 'message', 'x')]],
  ['unknown fields', 'colour: red\ndata: x\n\n', [message(undefined, 'message', 'x')]],
];

describe.each(CASES)('%s', (_name, text, expected) => {
  test('EventParser parses text in one piece', () => {
    expect([...new EventParser().push(text)]).toEqual(expected);
  });

  test('EventParser parses text in single characters', () => {
    const parser = new EventParser();
    expect(text.split('').flatMap((character) => Array.from(parser.push(character)))).toEqual(expected);
  });
});

describe('buffered text of EventParser', () => {
  const piece = 'x'.repeat(8 * 1024 * 1024);
  const kindsOf = (pieces: readonly string[]) => {
    const parser = new EventParser();
    return pieces.flatMap((text) => Array.from(parser.push(text), ({ kind }) => kind));
  };
  const repeat = (text: string, times: number) => Array.from({ length: times }, () => text);

  test.each([
    ['one line', ['data: ', ...repeat(piece, 16)]],
    ['many lines of one event', repeat(`data: ${piece}\n`, 16)],
    ['one long piece', [`data: ${piece.repeat(17)}\n\n`]],
  ])('is limited: %s', (_name, pieces) => {
    expect(kindsOf(pieces)).toEqual(['overflow']);
  });

  test('is counted per event, without comments', () => {
    const pieces = [...repeat(`data: ${piece}\n\n`, 20), ...repeat(`: ${piece}\n`, 20)];
    expect(kindsOf(pieces)).toEqual(repeat('message', 20));
  });

  test('is scanned once, not again with each piece', () => {
    const parser = new EventParser();
    const started = performance.now();
    // This takes 1 s. Scanning from the start with each piece would copy 2 TB.
    for (let count = 0; count < 2_000_000; count += 1) for (const _message of parser.push('x'));
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});
