/** What survives a sandbox: only its disk. */
import assert from 'node:assert/strict';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, toDiskId } from './workbench.ts';

export const DURABILITY_CASES: readonly SandboxCase[] = [
  {
    name: 'the next sandbox of a disk finds its files, with modes, links and times',
    run: async (bench) => {
      const first = await bench.start();
      const make = [
        'cd /workspace; mkdir -p a/b; echo kept >a/b/file; chmod 750 a/b/file; ln -s file a/b/link; ln a/b/file a/hard',
        'touch -d @1700000000 a/b/file; mkfifo a/pipe; echo home >/home/user/.profile; echo o >/opt/o; echo v >/var/lib/v; echo t >/tmp/t',
      ].join('; ');
      await bench.bash(first, make);
      const look =
        "cd /workspace; cat a/b/link a/hard; stat -c '%a %Y %h %U' a/b/file; test -p a/pipe; cat ~/.profile /opt/o /var/lib/v; ls /tmp";
      const before = await bench.bash(first, look);
      await bench.provider.kill(first);
      const second = await bench.start({ diskId: toDiskId(first) });
      assert.equal(await bench.bash(second, look), before.replace(/t\n$/, ''));
      assert.match(before, /^kept\nkept\n750 1700000000 2 user\nhome\no\nv\nt\n$/);
    },
  },
  {
    name: 'files installed in /usr/local are durable and not visible on the host',
    needs: 'layer',
    run: async (bench) => {
      const first = await bench.start();
      const name = `suite-program-${first}`;
      await bench.bash(
        first,
        `printf '#!/bin/sh\\necho installed\\n' >/usr/local/bin/${name}; chmod +x /usr/local/bin/${name}`,
      );
      assert.equal(await bench.bash(first, name), 'installed\n');
      await bench.provider.kill(first);
      const second = await bench.start({ diskId: toDiskId(first) });
      assert.equal(await bench.bash(second, name), 'installed\n');
      const other = await bench.start();
      assert.equal((await bench.run(other, [name])).exit_code, 127);
    },
  },
  {
    name: 'the base system is read-only',
    run: async (bench) => {
      const id = await bench.start();
      for (const path of ['/usr/bin/x', '/etc/x', '/x', '/etc/passwd', '/bin/sh']) {
        assert.notEqual((await bench.run(id, ['bash', '-c', `echo x >>${path}`])).exit_code, 0, path);
      }
    },
  },
  {
    name: "links in place of the disk's folders do not lead its next sandbox outside",
    run: async (bench) => {
      const first = await bench.start();
      // A mount point cannot be replaced and stays.
      const replace =
        'for f in tmp lib cache; do rm -rf /var/$f && ln -s /etc /var/$f; done 2>/dev/null; true';
      await bench.bash(first, replace);
      await bench.provider.kill(first);
      const second = await bench.start({ diskId: toDiskId(first) });
      assert.notEqual((await bench.run(second, ['bash', '-c', 'echo x >/etc/x'])).exit_code, 0);
      const compare = 'for f in passwd group; do cat /etc/$f; done';
      assert.equal(await bench.bash(second, compare), await bench.bash(await bench.start(), compare));
    },
  },
  {
    name: 'a sandbox without a workspace has no /workspace',
    run: async (bench) => {
      const id = await bench.start({ hasWorkspace: false });
      assert.equal((await bench.run(id, ['test', '-e', '/workspace'])).exit_code, 1);
      assert.equal(await bench.bash(id, 'echo kept >~/note; cat ~/note'), 'kept\n');
    },
  },
  {
    name: 'a disk is listed until it is removed, regardless of its content',
    run: async (bench) => {
      const id = await bench.start();
      const diskId = toDiskId(id);
      const hostile =
        'cd /workspace; mkdir -p a/b/c; touch a/b/c/d; ln -s / root; ln -s /etc/passwd p; mkfifo f; chmod 0 a/b/c a/b a; touch "$(printf \'new\\nline\')" -- -rf';
      await bench.bash(id, hostile);
      await bench.provider.kill(id);
      assert.ok((await bench.provider.listDisks()).includes(diskId));
      await bench.provider.removeDisk(diskId);
      assert.ok(!(await bench.provider.listDisks()).includes(diskId));
      await bench.provider.removeDisk(diskId);
      const again = await bench.start({ diskId });
      assert.equal(await bench.bash(again, 'ls -A /workspace'), '');
    },
  },
  {
    name: 'keepOnlyWorkspace leaves the files of /workspace where they are and replaces the rest of the disk',
    run: async (bench) => {
      const first = await bench.start();
      const write = [
        'cd /workspace; mkdir a; echo kept >a/file; ln a/file hard; ln -s /etc/passwd link; chmod 711 /workspace',
        'for f in ~ /opt /var/lib /usr/local/bin /tmp /dev/shm; do echo >$f/left || true; done 2>/dev/null',
        'chmod 0 ~; true',
      ].join('; ');
      await bench.bash(first, write);
      const look = "stat -c '%n %i %d %u %a %Y' /workspace /workspace/a/file /workspace/link";
      const before = await bench.bash(first, look);
      await bench.provider.kill(first);
      for (let round = 0; round < 2; round++) await bench.provider.keepOnlyWorkspace(toDiskId(first));
      const second = await bench.start({ diskId: toDiskId(first) });
      assert.equal(await bench.bash(second, look), before);
      assert.equal(await bench.bash(second, 'cat /workspace/hard; echo more >>/workspace/a/file'), 'kept\n');
      const left =
        'ls ~/left /opt/left /var/lib/left /usr/local/bin/left /tmp/left /dev/shm/left 2>/dev/null || true';
      assert.equal(await bench.bash(second, left), '');
      const other = await bench.start();
      const compare = 'stat -c "%a %U" ~ /opt /var /var/lib /usr/local/bin; cat /capabilities/bindings.json';
      assert.equal(await bench.bash(second, compare), await bench.bash(other, compare));
    },
  },
  {
    name: 'keepOnlyWorkspace refuses a missing disk',
    run: async (bench) => {
      const refusal = await refusalOf(bench.provider.keepOnlyWorkspace(bench.newId()));
      assert.equal(refusal.status, 502);
    },
  },
  {
    name: 'an existing sandbox is not started again',
    run: async (bench) => {
      const id = await bench.start();
      await bench.bash(id, 'touch /tmp/mine');
      assert.equal((await refusalOf(bench.start({ id }))).status, 409);
      await bench.bash(id, 'test -e /tmp/mine');
    },
  },
  {
    name: 'a failed start leaves only the disk behind',
    run: async (bench) => {
      const spec = bench.toSpec({ egressAllow: ['no pattern at all'] });
      await assert.rejects(bench.provider.start(spec));
      bench.assertGone({ id: spec.id, namespaces: [] });
      assert.ok(!(await bench.provider.list()).includes(spec.id));
      await bench.start({ ...spec, egressAllow: [] });
    },
  },
];
