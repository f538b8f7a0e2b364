import { expect, test } from 'vitest';
import { bytesField, varintField } from '../../../test/otlp-messages.ts';
import { encodeResponse } from './response.ts';

const NOTHING = { rejectedSpans: 0, errorMessage: '' };
const SOME = { rejectedSpans: 300, errorMessage: 'No workspace "ü".' };

test('encodeAnswer encodes rejections as JSON', () => {
  expect(encodeResponse('application/json', NOTHING).toString()).toBe('{}\n');
  expect(encodeResponse('Application/JSON; charset=utf-8', SOME).toString()).toBe(
    '{"partialSuccess":{"rejectedSpans":"300","errorMessage":"No workspace \\"ü\\"."}}\n',
  );
});

test.each(['application/x-protobuf', 'application/protobuf'])(
  'encodeAnswer encodes rejections as protobuf: %s',
  (type) => {
    expect(encodeResponse(type, NOTHING)).toHaveLength(0);
    const content = Buffer.concat([varintField(1, 300), bytesField(2, SOME.errorMessage)]);
    expect(encodeResponse(type, SOME)).toEqual(bytesField(1, content));
    const warning = { rejectedSpans: 0, errorMessage: 'x'.repeat(500) };
    expect(encodeResponse(type, warning)).toEqual(bytesField(1, bytesField(2, warning.errorMessage)));
    const many = { rejectedSpans: 2 ** 40, errorMessage: '' };
    expect(encodeResponse(type, many)).toEqual(bytesField(1, varintField(1, 2 ** 40)));
  },
);
