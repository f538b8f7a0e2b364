/** The description of the trainer beside the server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeTrainer, findTrainer, INSTALLED_MARK, trainerFolder } from './installation.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'drydock-trainer-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('describeTrainer says how to install a trainer when there is none', () => {
  const place = { dataDir, python: undefined };
  expect(findTrainer(place)).toBeUndefined();
  expect(describeTrainer(place)).toContain('npm run setup -- --training');
});

test('describeTrainer names the packages of an installed trainer', () => {
  mkdirSync(trainerFolder(dataDir), { recursive: true });
  const mark = { packages: { torch: '2.15.0' } };
  writeFileSync(join(trainerFolder(dataDir), INSTALLED_MARK), JSON.stringify(mark));
  const place = { dataDir, python: undefined };
  expect(findTrainer(place)?.python).toBe(join(trainerFolder(dataDir), 'venv/bin/python'));
  expect(describeTrainer(place)).toContain('torch 2.15.0');
});

test('describeTrainer says that the code is missing when its folder is, whatever is installed', () => {
  const place = { dataDir, python: '/usr/bin/python3', source: join(dataDir, 'nowhere') };
  expect(findTrainer(place)).toBeUndefined();
  expect(describeTrainer(place)).toMatch(/code of the trainer is missing.*nowhere/);
});
