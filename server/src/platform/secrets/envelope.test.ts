import { expect, test } from 'vitest';
import { createVault, VaultError } from './envelope.ts';

const vault = createVault('the secret key of this server');

test('a sealed secret opens to its plaintext and reveals nothing of it', () => {
  const sealed = vault.seal('pässword', 'secret-1');
  expect(vault.open(sealed, 'secret-1')).toBe('pässword');
  expect(Buffer.concat([sealed.wrapped_key, sealed.ciphertext]).includes('pässword')).toBe(false);
  expect(vault.seal('pässword', 'secret-1').ciphertext).not.toEqual(sealed.ciphertext);
});

test('a sealed secret does not open in another place, with another key, or damaged', () => {
  const sealed = vault.seal('value', 'secret-1');
  const damaged = { ...sealed, ciphertext: Buffer.from(sealed.ciphertext.map((byte) => byte ^ 1)) };
  expect(() => vault.open(sealed, 'secret-2')).toThrow(VaultError);
  expect(() => createVault('another secret key').open(sealed, 'secret-1')).toThrow(VaultError);
  expect(() => vault.open(damaged, 'secret-1')).toThrow(VaultError);
});

test('a vault that knows the previous key opens its secrets and seals with the current key', () => {
  const sealed = vault.seal('value', 'secret-1');
  const next = createVault('the next secret key', 'the secret key of this server');
  expect(next.open(sealed, 'secret-1')).toBe('value');
  expect(() => next.open(sealed, 'secret-2')).toThrow(VaultError);
  const later = next.seal('later', 'secret-1');
  expect(next.open(later, 'secret-1')).toBe('later');
  expect(() => vault.open(later, 'secret-1')).toThrow(VaultError);
});

test('a new secret key wraps the data key again and leaves the ciphertext unchanged', () => {
  const sealed = vault.seal('value', 'secret-1');
  const next = createVault('the next secret key', 'the secret key of this server');
  const rewrapped = { ...sealed, ...next.rewrap(sealed, 'secret-1') };
  expect(createVault('the next secret key').open(rewrapped, 'secret-1')).toBe('value');
  expect(() => vault.open(rewrapped, 'secret-1')).toThrow(VaultError);
  expect(() => next.rewrap(sealed, 'secret-2')).toThrow(VaultError);
  expect(() => createVault('the next secret key').rewrap(sealed, 'secret-1')).toThrow(VaultError);
});
