import { expect, test } from 'vitest';
import { bytesField, varintField } from '../../../test/otlp-messages.ts';
import { encodeAnswer } from './answer.ts';

const NOTHING = { rejectedSpans: 0, errorMessage: '' };
const SOME = { rejectedSpans: 300, errorMessage: 'No workspace "ü".' };

test('encodeAnswer encodes rejections as JSON', () => {
  expect(encodeAnswer('application/json', NOTHING).toString()).toBe('{}\n');
  expect(encodeAnswer('Application/JSON; charset=utf-8', SOME).toString()).toBe(
    '{"partialSuccess":{"rejectedSpans":"300","errorMessage":"No workspace \\"ü\\"."}}\n',
  );
});

test.each(['application/x-protobuf', 'application/protobuf'])(
  'encodeAnswer encodes rejections as protobuf: %s',
  (type) => {
    expect(encodeAnswer(type, NOTHING)).toHaveLength(0);
    const content = Buffer.concat([varintField(1, 300), bytesField(2, SOME.errorMessage)]);
    expect(encodeAnswer(type, SOME)).toEqual(bytesField(1, content));
    const warning = { rejectedSpans: 0, errorMessage: 'x'.repeat(500) };
    expect(encodeAnswer(type, warning)).toEqual(bytesField(1, bytesField(2, warning.errorMessage)));
    const many = { rejectedSpans: 2 ** 40, errorMessage: '' };
    expect(encodeAnswer(type, many)).toEqual(bytesField(1, varintField(1, 2 ** 40)));
  },
);
