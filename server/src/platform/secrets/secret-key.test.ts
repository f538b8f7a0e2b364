import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirectoryError } from '../data-directory-error.ts';
import { readSecretKey } from './secret-key.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'drydock-key-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('a key is created once, is readable only for its owner, and leaves no draft behind', () => {
  const key = readSecretKey({ secretKey: undefined, dataDir });
  expect(key).toMatch(/^[\w-]{64}$/);
  expect(readSecretKey({ secretKey: undefined, dataDir })).toBe(key);
  expect(readdirSync(dataDir)).toEqual(['secret-key']);
  expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
});

test('a configured key is used, and nothing is written', () => {
  expect(readSecretKey({ secretKey: 'given', dataDir })).toBe('given');
  expect(readdirSync(dataDir)).toEqual([]);
});

test('an empty or truncated file is refused', () => {
  for (const text of ['', 'too short']) {
    writeFileSync(join(dataDir, 'secret-key'), text);
    expect(() => readSecretKey({ secretKey: undefined, dataDir })).toThrow(DataDirectoryError);
  }
});
