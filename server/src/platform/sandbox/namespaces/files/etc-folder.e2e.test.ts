/** Servers that share a folder, and start at the same moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const MODULE = join(import.meta.dirname, 'etc-folder.ts');
const HOST = { etcFolders: [], etcFiles: [] };

test('writeSharedEtc from concurrent servers leaves only its files', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'drydock-etc-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'etc');
  const source = `
    import { writeSharedEtc } from ${JSON.stringify(MODULE)};
    for (let round = 0; round < 300; round += 1) writeSharedEtc(${JSON.stringify(folder)}, ${JSON.stringify(HOST)});`;
  const writers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', source], { stdio: 'ignore' }),
  );
  const exits = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
  expect(exits).toEqual([0, 0, 0]);
  expect(readdirSync(parent)).toEqual(['etc']);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  expect(readFileSync(join(folder, 'passwd'), 'utf8')).toContain('user:x:1000:1000:');
});
