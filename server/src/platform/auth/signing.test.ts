import { expect, test } from 'vitest';
import { createSigner } from './signing.ts';

const signer = createSigner('one secret key');
const statement = { user: 'a', expires: 1 };
const text = signer.sign('access-token', statement);

test('a signed statement opens to its content', () => {
  expect(signer.open('access-token', text)).toEqual(statement);
});

test('statements of the previous key open while it is known; new ones are signed with the current key', () => {
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
  ['padding', () => signer.open('access-token', `${text}=`)],
  ['another spelling', () => signer.open('access-token', toOtherSpelling(text))],
  ['three parts', () => signer.open('access-token', `${text}.x`)],
  ['nothing', () => signer.open('access-token', '')],
])('a statement with %s does not open', (_name, open) => {
  expect(open()).toBeUndefined();
});

test('the secret of a statement derives from the key that signed it, regardless of which one is current', () => {
  const secret = signer.findSecretOf('access-token', text);
  const next = createSigner('the next secret key', 'one secret key');
  expect(next.findSecretOf('access-token', text)).toEqual(secret);
  expect(next.findSecretOf('access-token', next.sign('access-token', statement))).not.toEqual(secret);
  expect(createSigner('another secret key').findSecretOf('access-token', text)).toBeUndefined();
  expect(signer.findSecretOf('cursor', text)).toBeUndefined();
  expect(signer.findSecretOf('access-token', flipped)).toBeUndefined();
});

test('issued statements do not contain any secret', () => {
  const secret = signer.findSecretOf('access-token', text);
  expect(text).not.toContain(secret?.toString('base64url'));
});

test('secretsFor returns the secret of a name for each known key, the current one first', () => {
  const [now] = signer.secretsFor('storage-key', 'own');
  const [next, before, ...rest] = createSigner('next', 'one secret key').secretsFor('storage-key', 'own');
  expect(before).toEqual(now);
  expect(next).not.toEqual(now);
  expect(rest).toEqual([]);
  expect(signer.secretsFor('storage-key', 'other')[0]).not.toEqual(now);
  expect(signer.secretsFor('storage-session', 'own')[0]).not.toEqual(now);
});

/** The last letter of a signature holds bits that decoders ignore. */
function toOtherSpelling(given: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return given.slice(0, -1) + letters[letters.indexOf(given.at(-1) ?? '') ^ 1];
}
