import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeTempDir(undo: AsyncDisposableStack): string {
  const dir = mkdtempSync(join(tmpdir(), 'drydock-bench-'));
  undo.defer(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
