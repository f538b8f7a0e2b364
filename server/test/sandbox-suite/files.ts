/** Files, accessed by commands in a sandbox. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import {
  deleteFile,
  type Exec,
  listFiles,
  readFile,
  statFile,
  writeFile,
} from '../../src/platform/sandbox/files/files.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until, type Workbench } from './workbench.ts';

const execIn =
  (bench: Workbench, id: string): Exec =>
  (command) =>
    bench.provider.exec(id, command);

export const FILE_CASES: readonly SandboxCase[] = [
  {
    name: 'files are written, read, listed and deleted as the user of the sandbox',
    run: async (bench) => {
      const id = await bench.start();
      const exec = execIn(bench, id);
      const bytes = randomBytes(2_000_000);
      await writeFile(exec, 'deep/er/file', Readable.from([bytes]));
      assert.equal(await bench.bash(id, 'stat -c "%U %a %s" /workspace/deep/er/file'), 'user 644 2000000\n');
      const { size_bytes, stream } = await readFile(exec, '/workspace/deep/er/file');
      assert.equal(size_bytes, bytes.length);
      assert.ok((await buffer(stream)).equals(bytes));
      assert.deepEqual(
        (await listFiles(exec, '')).entries.map(({ path, type }) => ({ path, type })),
        [{ path: 'deep', type: 'directory' }],
      );
      assert.equal((await statFile(exec, 'deep/er')).type, 'directory');
      assert.equal((await refusalOf(deleteFile(exec, 'deep', false))).status, 409);
      await deleteFile(exec, 'deep', true);
      assert.equal(await bench.bash(id, 'ls -A /workspace'), '');
    },
  },
  {
    name: 'no operation follows a link that leads out of /workspace',
    run: async (bench) => {
      const id = await bench.start();
      const exec = execIn(bench, id);
      await bench.bash(
        id,
        'cd /workspace; ln -s /etc/passwd file; ln -s / root; ln -s /proc/self/root/etc proc; echo x >/tmp/x; ln -s /tmp/x tmp',
      );
      for (const path of ['file', 'root', 'root/etc/passwd', 'proc/passwd', 'tmp']) {
        const all = [
          readFile,
          listFiles,
          statFile,
          (...[run, at]: [Exec, string]) => writeFile(run, at, Readable.from([])),
        ];
        for (const work of all) {
          assert.equal((await refusalOf(work(exec, path))).status, 422, path);
        }
      }
      assert.equal((await refusalOf(deleteFile(exec, 'root/tmp/x', false))).status, 422);
      assert.equal(await bench.bash(id, 'cat /tmp/x'), 'x\n');
    },
  },
  {
    name: 'an interrupted upload leaves nothing behind, even when its command is killed',
    run: async (bench) => {
      const id = await bench.start();
      const content = new Readable({ read: () => undefined });
      content.push(randomBytes(300_000));
      const executions: { kill(): void }[] = [];
      const exec: Exec = async (command) => {
        const execution = await bench.provider.exec(id, command);
        executions.push(execution);
        return execution;
      };
      const writing = writeFile(exec, 'new/file', content);
      writing.catch(() => undefined);
      await until('a draft', async () => (await bench.bash(id, 'ls -A /workspace')) !== '');
      executions[0]?.kill();
      await assert.rejects(writing);
      await until('its removal', async () => (await bench.bash(id, 'ls -A /workspace')) === '');
      content.destroy();
    },
  },
  {
    name: 'file operations are refused without a workspace',
    run: async (bench) => {
      const id = await bench.start({ hasWorkspace: false });
      assert.equal((await refusalOf(listFiles(execIn(bench, id), ''))).status, 409);
    },
  },
  {
    name: 'a file that is read slowly arrives completely, and the command ends with its reader',
    run: async (bench) => {
      const id = await bench.start();
      await bench.bash(id, 'head -c 3000000 /dev/zero >/workspace/file');
      const { stream } = await readFile(execIn(bench, id), 'file');
      await wait(300);
      assert.equal((await buffer(stream)).length, 3_000_000);
      const left = await readFile(execIn(bench, id), 'file');
      left.stream.destroy();
      await until('its end', async () => (await bench.run(id, ['pgrep', '-x', 'head'])).exit_code === 1);
    },
  },
];
