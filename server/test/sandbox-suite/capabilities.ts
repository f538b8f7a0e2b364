/** Capabilities in a sandbox: visible only when complete, read-only inside, and replaced while they are used. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { CapabilityFolder } from '../../src/platform/sandbox/sandbox-provider.ts';
import { toFolder, toSummedFolder } from '../capability-folders.ts';
import { WAIT_TIMEOUT_MS } from '../wait-timeout.ts';
import { leaveBehind } from './adoption.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, toDiskId, until, type Workbench } from './workbench.ts';

const TOOL = toFolder('tool', { 'bin/hello': '#!/bin/sh\necho hello from "$0"\n', 'README.md': 'a tool\n' });
const NEWER = toFolder('tool', { 'bin/hello': '#!/bin/sh\necho newer\n' });
const THEIRS = toFolder('acme/lens', { 'lens.txt': 'theirs\n' });

const UPGRADES = 60;
const FILES = 40;

/** Checks all of them in a loop and reports incomplete ones. */
const WATCH = `
  rounds=0
  while [ ! -e /tmp/enough ]; do
    for folder in /capabilities/*/ /capabilities/*/*/; do
      [ -e "$folder/SUMS" ] || continue
      ( cd "$folder" 2>/dev/null || exit 0; sha256sum --quiet --strict -c SUMS && [ "$(find . -type f | wc -l)" = ${FILES + 2} ] ) || echo "broken: $folder"
    done
    rounds=$((rounds + 1))
  done
  echo "rounds: $rounds"`;

const list = (bench: Workbench, id: string) => bench.bash(id, 'cd /capabilities && find -L . -type f | sort');

async function set(bench: Workbench, id: string, ...folders: readonly CapabilityFolder[]): Promise<void> {
  const bindings = folders.map(({ path }) => ({ name: path }));
  await bench.provider.setCapabilities(id, folders, `${JSON.stringify(bindings)}\n`);
}

/** Delivers endless content as fast as it is read. */
function stuck(path: string): { readonly folder: CapabilityFolder; readonly hasBegun: () => boolean } {
  let hasBegun = false;
  const folder = toFolder(path, {});
  const files = async function* () {
    yield* toFolder(path, { first: 'first\n' }).files();
    hasBegun = true;
    await new Promise<never>((_, reject) => setTimeout(reject, 1_500, new Error('the storage is away')));
  };
  return { folder: { ...folder, files }, hasBegun: () => hasBegun };
}

export const CAPABILITY_CASES: readonly SandboxCase[] = [
  {
    name: 'a sandbox without capabilities sees an empty list',
    run: async (bench) => {
      const id = await bench.start();
      assert.equal(
        await bench.bash(id, 'ls -A /capabilities; cat /capabilities/bindings.json'),
        'bindings.json\n[]\n',
      );
    },
  },
  {
    name: 'capabilities appear as files that can be read and run',
    run: async (bench) => {
      const id = await bench.start();
      await set(bench, id, TOOL, THEIRS);
      assert.equal(
        await list(bench, id),
        './acme/lens/lens.txt\n./bindings.json\n./tool/README.md\n./tool/bin/hello\n',
      );
      assert.equal(
        await bench.bash(id, '/capabilities/tool/bin/hello'),
        'hello from /capabilities/tool/bin/hello\n',
      );
      assert.equal(
        await bench.bash(id, 'cat /capabilities/bindings.json /capabilities/acme/lens/lens.txt'),
        '[{"name":"tool"},{"name":"acme/lens"}]\ntheirs\n',
      );
    },
  },
  {
    name: 'no process inside can change a capability',
    run: async (bench) => {
      const id = await bench.start();
      await set(bench, id, TOOL, THEIRS);
      const attempts = [
        'echo x >/capabilities/new',
        'echo x >>/capabilities/tool/README.md',
        'echo x >/capabilities/bindings.json',
        'rm /capabilities/tool',
        'rm -rf /capabilities/tool/bin',
        'mv /capabilities/tool /capabilities/other',
        'mv /capabilities /elsewhere',
        'mkdir /capabilities/acme/more',
        'ln -sf /workspace /capabilities/tool',
        'chmod u+w /capabilities/tool/README.md',
        'chmod 777 /capabilities/tool/. /capabilities/acme',
        'touch -d 2001-01-01 /capabilities/tool/README.md',
        'mount -t tmpfs none /capabilities',
        'mount -o remount,rw /capabilities',
        'umount /capabilities',
        'unshare -Ur mount -o remount,rw,bind /capabilities',
      ];
      for (const attempt of attempts) {
        const { exit_code } = await bench.run(id, ['bash', '-c', attempt]);
        assert.notEqual(exit_code, 0, attempt);
      }
      assert.equal(
        await bench.bash(id, 'cat /capabilities/tool/README.md; ls /capabilities'),
        'a tool\nacme\nbindings.json\ntool\n',
      );
    },
  },
  {
    name: 'a replaced or removed capability remains available to processes that use it',
    run: async (bench) => {
      const id = await bench.start();
      await set(bench, id, TOOL, THEIRS);
      const ready = 'touch /tmp/in; until [ -e /tmp/go ]; do sleep 0.02; done';
      const inTool = bench.bash(
        id,
        `cd /capabilities/tool; ${ready}; cat README.md; ./bin/hello; /capabilities/tool/bin/hello`,
      );
      const inTheirs = bench.bash(
        id,
        `exec 7</capabilities/acme/lens/lens.txt; ${ready}; cat <&7; ls /capabilities`,
      );
      await until(
        'both are in',
        async () => (await bench.run(id, ['test', '-e', '/tmp/in'])).exit_code === 0,
      );
      await set(bench, id, NEWER);
      await bench.bash(id, 'touch /tmp/go');
      assert.equal(await inTool, 'a tool\nhello from ./bin/hello\nnewer\n');
      assert.equal(await inTheirs, 'theirs\nbindings.json\ntool\n');
      await set(bench, id);
      assert.equal(await list(bench, id), './bindings.json\n');
    },
  },
  {
    name: 'a capability name is replaced by the folder of an owner, and vice versa',
    run: async (bench) => {
      const id = await bench.start();
      const named = toFolder('acme', { 'own.txt': 'own\n' });
      for (const folder of [named, THEIRS, named]) await set(bench, id, folder);
      assert.equal(await list(bench, id), './acme/own.txt\n./bindings.json\n');
    },
  },
  {
    name: 'existing content is not transferred again, not even by the next sandbox of the disk',
    run: async (bench) => {
      const spec = bench.toSpec();
      const [tool, theirs] = [toFolder('tool', { a: 'a' }), toFolder('acme/lens', { b: 'b' })];
      await bench.provider.start(spec);
      for (const folders of [[tool], [tool, theirs], [theirs], [tool, theirs]])
        await set(bench, spec.id, ...folders);
      await bench.provider.kill(spec.id);
      const next = await bench.start({ diskId: spec.diskId });
      assert.equal(await list(bench, next), './acme/lens/b\n./bindings.json\n./tool/a\n');
      await set(bench, next, tool, theirs);
      assert.deepEqual([tool.asked(), theirs.asked()], [1, 1]);
      await bench.provider.kill(next);
      await bench.provider.removeDisk(spec.diskId);
      const anew = await bench.start({ diskId: spec.diskId });
      assert.equal(await list(bench, anew), './bindings.json\n');
    },
  },
  {
    name: 'files cannot be written outside their capability',
    run: async (bench) => {
      const id = await bench.start();
      await set(bench, id, TOOL);
      const paths = [
        '../escaped',
        '../../escaped',
        'a/../../escaped',
        '/tmp/escaped',
        '/workspace/escaped',
        './escaped',
        'a//escaped',
        'a/.',
        'a/..',
        '..',
        '.',
        '',
        'a\\..\\escaped',
        'nul\0',
        'line\nbreak',
        `${'d/'.repeat(40)}deep`,
        'x'.repeat(256),
      ];
      for (const path of paths) {
        const refused = await refusalOf(set(bench, id, TOOL, toFolder('bad', { [path]: 'x' })));
        assert.equal(refused.status, 502, path);
      }
      const pairs: [string, string][][] = [
        [
          ['a', '1'],
          ['a', '2'],
        ],
        [
          ['a', '1'],
          ['a/b', '2'],
        ],
        [
          ['a/b', '1'],
          ['a', '2'],
        ],
        [
          ['gr\u00f6\u00dfe', '1'],
          ['gro\u0308\u00dfe', '2'],
        ],
      ];
      for (const pair of pairs) await refusalOf(set(bench, id, TOOL, toFolder('bad', pair)));
      assert.equal(await list(bench, id), './bindings.json\n./tool/README.md\n./tool/bin/hello\n');
      assert.equal(await bench.bash(id, 'ls -A /workspace /tmp /run | grep -c escaped || :'), '0\n');
    },
  },
  {
    name: 'content that breaks off or has another length than announced changes nothing',
    run: async (bench) => {
      const id = await bench.start();
      await set(bench, id, TOOL);
      const { folder } = stuck('late');
      const sized = (difference: number): CapabilityFolder => {
        const made = toFolder(`sized${difference}`, { a: 'four' });
        const files = async function* () {
          for await (const file of made.files()) yield { ...file, sizeBytes: 4 + difference };
        };
        return { ...made, files };
      };
      for (const bad of [folder, sized(1), sized(-1)]) await assert.rejects(set(bench, id, NEWER, bad));
      assert.equal(
        await bench.bash(id, '/capabilities/tool/bin/hello; cat /capabilities/bindings.json'),
        'hello from /capabilities/tool/bin/hello\n[{"name":"tool"}]\n',
      );
      await set(bench, id, NEWER, toFolder('late', {}));
      assert.equal(
        await bench.bash(id, '/capabilities/tool/bin/hello; ls /capabilities/late | wc -l'),
        'newer\n0\n',
      );
    },
  },
  {
    name: 'a sandbox that is killed during the transfer of a capability leaves nothing of it',
    run: async (bench) => {
      const id = await bench.start();
      const { folder, hasBegun } = stuck('late');
      const setting = set(bench, id, TOOL, folder).catch((error: unknown) => error);
      await until('it is under way', hasBegun);
      await bench.provider.kill(id);
      assert.ok((await setting) instanceof Error);
      const next = await bench.start({ diskId: toDiskId(id) });
      assert.equal(await list(bench, next), './bindings.json\n');
      await set(bench, next, TOOL);
      assert.equal(await list(bench, next), './bindings.json\n./tool/README.md\n./tool/bin/hello\n');
    },
  },
  {
    name: 'readers see only complete capabilities while they are installed, replaced and removed',
    run: async (bench) => {
      const id = await bench.start();
      let now: CapabilityFolder[] = [toSummedFolder('first', 0, FILES)];
      await set(bench, id, ...now);
      const watching = bench.run(id, ['bash', '-c', WATCH], { timeoutMs: WAIT_TIMEOUT_MS });
      for (let version = 1; version <= UPGRADES; version++) {
        const other = version % 3 === 0 ? [] : [toSummedFolder('acme/second', version, FILES)];
        now = [toSummedFolder('first', version % 7, FILES), ...other];
        await set(bench, id, ...now);
        assert.match(
          await bench.bash(id, 'cat /capabilities/first/VERSION'),
          new RegExp(`^${version % 7}\n`),
        );
        await wait(5);
      }
      await bench.bash(id, 'touch /tmp/enough');
      const { stdout, stderr } = await watching;
      assert.match(stdout, /^rounds: \d+\n$/, stderr);
      assert.ok(Number(/\d+/.exec(stdout)?.[0]) > 5, stdout);
    },
  },
  {
    name: 'a process that is killed during a transfer has shown nothing of it, and the next one repeats it',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      const spec = next.toSpec();
      await leaveBehind(next, [{ spec, capability: 'tool' }]);
      assert.deepEqual(await next.provider.adopt(spec.id), { state: 'running' });
      const look = 'cat /capabilities/tool/a /capabilities/bindings.json; ls /capabilities/tool';
      assert.equal(await next.bash(spec.id, look), 'shown\n[]\na\n');
      await set(next, spec.id, NEWER, THEIRS);
      const use = '/capabilities/tool/bin/hello; cat /capabilities/acme/lens/*';
      assert.equal(await next.bash(spec.id, use), 'newer\ntheirs\n');
    },
  },
];
