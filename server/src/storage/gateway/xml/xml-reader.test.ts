import { describe, expect, test } from 'vitest';
import { readParts } from '../operations/complete-upload.ts';
import { readDeletes } from '../operations/delete-objects.ts';
import { S3Error } from '../s3-error.ts';
import { escapeXml } from './xml.ts';

const deletes = (text: string) => readDeletes(Buffer.from(text));
const keyOf = (key: string) => deletes(`<Delete><Object><Key>${key}</Key></Object></Delete>`).keys[0];

function codeOf(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

test('requests of common clients are parsed', () => {
  const text = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
    <Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/" xmlns:xsi='x'>
      <Quiet>true</Quiet>
      <Object ><Key>a</Key><VersionId/></Object>
      <Object><Key>b/ü 🚢</Key></Object >
    </Delete>\n`;
  expect(deletes(text)).toEqual({ keys: ['a', 'b/ü 🚢'], isQuiet: true });
});

test('a key is parsed with its escapes', () => {
  expect(keyOf('&lt;&gt;&amp;&quot;&apos;&#13;&#xA;&#x1;&#128674;&amp;lt;')).toBe('<>&"\'\r\n\u0001🚢&lt;');
  expect(keyOf('a\r\nb\rc')).toBe('a\nb\nc');
  for (const key of ['\u0001\t\r\n', '\u007f\u0085\u2028\ufffe', ']]>', '&amp;', ' a ']) {
    expect(keyOf(escapeXml(key))).toBe(key);
  }
});

test('a key may consist of character references only, up to the maximum length', () => {
  expect(keyOf('&#128674;'.repeat(256))).toHaveLength(512);
  expect(() => keyOf('&quot;'.repeat(2_100))).toThrow(S3Error);
});

const MANY = '<Object><Key>k</Key></Object>';

describe.each([
  ['nothing', ''],
  ['another root', '<Deletes></Deletes>'],
  ['no object', '<Delete></Delete>'],
  ['an empty root', '<Delete/>'],
  ['an object without key', '<Delete><Object></Object></Delete>'],
  ['an empty key', '<Delete><Object><Key/></Object></Delete>'],
  ['two keys in one', '<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>'],
  ['a thousand and one', `<Delete>${MANY.repeat(1001)}</Delete>`],
  ['an unknown element', '<Delete><Object><Key>a</Key><Kez>a</Kez></Object></Delete>'],
  ['text between elements', `<Delete>x${MANY}</Delete>`],
  ['an element that is not closed', '<Delete><Object><Key>a</Key></Object>'],
  ['one that is closed by another', '<Delete><Object><Key>a</Object></Key></Delete>'],
  ['elements within a key', '<Delete><Object><Key><Key>a</Key></Key></Object></Delete>'],
  ['something behind the end', `<Delete>${MANY}</Delete><Delete/>`],
  ['a comment', `<Delete><!-- -->${MANY}</Delete>`],
  ['CDATA', '<Delete><Object><Key><![CDATA[a]]></Key></Object></Delete>'],
  ['a processing instruction', `<Delete><?php ?>${MANY}</Delete>`],
  ['a document type', `<!DOCTYPE Delete><Delete>${MANY}</Delete>`],
  [
    'a billion laughs',
    '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><Delete><Object><Key>&b;</Key></Object></Delete>',
  ],
  [
    'a file of the server',
    '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>',
  ],
  ['an unknown entity', '<Delete><Object><Key>&nbsp;</Key></Object></Delete>'],
  ['a lone ampersand', '<Delete><Object><Key>a & b</Key></Object></Delete>'],
  ['a reference to nothing', '<Delete><Object><Key>&#0;</Key></Object></Delete>'],
  ['a reference to half a pair', '<Delete><Object><Key>&#xD800;</Key></Object></Delete>'],
  ['a reference beyond Unicode', '<Delete><Object><Key>&#x110000;</Key></Object></Delete>'],
  ['a prefix of a name', `<s3:Delete>${MANY}</s3:Delete>`],
  ['an attribute', `<Delete a="b">${MANY}</Delete>`],
  ['an attribute without quotes', `<Delete xmlns=b>${MANY}</Delete>`],
  ['depth', '<Delete>'.repeat(100_000)],
  ['a Quiet that is neither', `<Delete><Quiet>maybe</Quiet>${MANY}</Delete>`],
])('%s', (_name, text) => {
  test('parsing the document fails with MalformedXML', () => {
    expect(codeOf(() => deletes(text))).toBe('MalformedXML');
  });
});

test('text that is not UTF-8 is malformed', () => {
  const body = Buffer.from('<Delete><Object><Key>a\xff</Key></Object></Delete>', 'latin1');
  expect(codeOf(() => readDeletes(body))).toBe('MalformedXML');
});

test('conditions and versions are not ignored', () => {
  const object = (more: string) => `<Delete><Object><Key>a</Key>${more}</Object></Delete>`;
  expect(codeOf(() => deletes(object('<ETag>x</ETag>')))).toBe('NotImplemented');
  expect(codeOf(() => deletes(object('<VersionId>x</VersionId>')))).toBe('InvalidArgument');
  expect(codeOf(() => deletes(object('<VersionId>null</VersionId>')))).toBe('read');
});

describe('parts of an upload', () => {
  const parts = (text: string) =>
    readParts(Buffer.from(`<CompleteMultipartUpload>${text}</CompleteMultipartUpload>`));
  const part = (number: number | string, more = '') =>
    `<Part><PartNumber>${number}</PartNumber><ETag>&quot;e&quot;</ETag>${more}</Part>`;

  test('parts are read in order', () => {
    const [first, second] = parts(part(1, '<ChecksumCRC32>abc</ChecksumCRC32>') + part(7));
    expect(first).toMatchObject({ partNumber: 1, etag: 'e' });
    expect(first?.checksums.get('ChecksumCRC32')).toBe('abc');
    expect(second?.partNumber).toBe(7);
  });

  test.each([
    ['none', '', 'MalformedXML'],
    ['one twice', part(1) + part(1), 'InvalidPartOrder'],
    ['in another order', part(2) + part(1), 'InvalidPartOrder'],
    ['number nought', part(0), 'InvalidArgument'],
    ['number ten thousand and one', part(10_001), 'InvalidArgument'],
    ['a number that is none', part('1e1'), 'InvalidArgument'],
    ['no etag', '<Part><PartNumber>1</PartNumber></Part>', 'MalformedXML'],
    ['two etags', part(1, '<ETag>e</ETag>'), 'MalformedXML'],
    ['an unknown field', part(1, '<ChecksumMD5>x</ChecksumMD5>'), 'MalformedXML'],
  ])('%s', (_name, text, code) => {
    expect(codeOf(() => parts(text))).toBe(code);
  });
});

test('ten thousand parts with the longest checksums are accepted', () => {
  const body = Buffer.from(
    `<CompleteMultipartUpload>${Array.from(
      { length: 10_000 },
      (_, index) =>
        `<Part><ETag>&quot;${'a'.repeat(32)}&quot;</ETag><ChecksumSHA256>${'b'.repeat(44)}</ChecksumSHA256><PartNumber>${index + 1}</PartNumber></Part>`,
    ).join('')}</CompleteMultipartUpload>`,
  );
  expect(body.length).toBeLessThan(4 * 1024 * 1024);
  expect(readParts(body)).toHaveLength(10_000);
});
