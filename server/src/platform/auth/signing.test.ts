import { expect, test } from 'vitest';
import { createSigner } from './signing.ts';

const signer = createSigner('one secret key');
const statement = { user: 'a', expires: 1 };
const text = signer.sign('access-token', statement);

test('a signed statement opens to what was said', () => {
  expect(signer.open('access-token', text)).toEqual(statement);
});

test('while the key before is known, its statements open; new ones are signed with the current key', () => {
  const next = createSigner('the next secret key', 'one secret key');
  expect(next.open('access-token', text)).toEqual(statement);
  expect(next.open('cursor', text)).toBeUndefined();
  const later = next.sign('access-token', statement);
  expect(createSigner('the next secret key').open('access-token', later)).toEqual(statement);
  expect(signer.open('access-token', later)).toBeUndefined();
});

const flipped = `${text.slice(0, 4)}${text[4] === 'A' ? 'B' : 'A'}${text.slice(5)}`;

test.each([
  ['another purpose', () => signer.open('cursor', text)],
  ['another key', () => createSigner('another secret key').open('access-token', text)],
  ['a changed payload', () => signer.open('access-token', flipped)],
  ['a cut signature', () => signer.open('access-token', text.slice(0, -4))],
  ['no signature', () => signer.open('access-token', text.split('.')[0] ?? '')],
  ['an empty signature', () => signer.open('access-token', `${text.split('.')[0]}.`)],
  ['three parts', () => signer.open('access-token', `${text}.x`)],
  ['nothing', () => signer.open('access-token', '')],
])('with %s it does not open', (_name, open) => {
  expect(open()).toBeUndefined();
});
