/** Publishes a folder of texts as version 1.0.0. An existing version with the same content stays unchanged. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const WHERE = { org: 'main', workspace: 'main' };

/** `drydock.tasks`, `.datasets`, `.models` or `.capabilities`. */
interface Registry<Detail> {
  publish(
    where: { org: string; name: string; version: string },
    bundle: Uint8Array<ArrayBuffer>,
  ): Promise<Detail>;
}

export async function publish<Detail>(
  registry: Registry<Detail>,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<Detail> {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
    const bundle = Uint8Array.from(execFileSync('tar', ['-czf', '-', '-C', folder, '.']));
    return await registry.publish({ org: WHERE.org, name, version: '1.0.0' }, bundle);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tasks that `sim/tool-user` solves: it runs the shell block of the instruction. */
export const toTask = (name: string, word: string) => ({
  'task.yaml': JSON.stringify({
    name,
    version: '1.0.0',
    instruction: `Write the word ${word} into word.txt:\n\n\`\`\`sh\necho ${word} > word.txt; cat word.txt\n\`\`\`\n`,
    verification: { method: 'script', script: 'verify.sh' },
  }),
  'verify.sh': `grep -qx ${word} /workspace/word.txt\n`,
});
