/** Escape through sockets: the host's services, its database and its daemons, on any address. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cell, openWorld } from './escape-world.ts';

const world = await openWorld();

describe.runIf(world)('the network of a sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-sockets-'));
  const callers: string[] = [];
  const servers: Server[] = [];
  let attacker: Cell;
  let port = 0;

  /** Records every connection. */
  async function listen(name: string, where: string | number): Promise<Server> {
    const server = createServer((socket) => {
      callers.push(name);
      socket.end('reached');
    });
    servers.push(server);
    await new Promise<void>((listening) =>
      typeof where === 'number'
        ? server.listen(where, '0.0.0.0', listening)
        : server.listen(where, listening),
    );
    return server;
  }

  beforeAll(async () => {
    if (!world) return;
    attacker = await world.start();
    await listen('database', join(folder, '.s.PGSQL.5432'));
    await listen('docker', join(folder, 'docker.sock'));
    await listen('abstract', '\0drydock-escape-test');
    const address = (await listen('tcp', 0)).address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const connect = (family: string, address: string) =>
    `use Socket; socket(my $s, ${family}, SOCK_STREAM, 0) or die; print connect($s, ${address}) ? "reached" : "refused";`;

  test('does not reach named unix sockets of the host', async () => {
    const paths = [
      join(folder, '.s.PGSQL.5432'),
      join(folder, 'docker.sock'),
      '/var/run/docker.sock',
      '/run/docker.sock',
      '/run/dbus/system_bus_socket',
    ];
    for (const path of paths) {
      expect((await attacker.perl(connect('AF_UNIX', `pack_sockaddr_un("${path}")`))).stdout).toBe('refused');
    }
    expect(
      (
        await attacker.sh(
          'find / -xdev -type s 2>/dev/null; find /run /tmp /var /dev -type s 2>/dev/null; true',
        )
      ).stdout,
    ).toBe('');
    expect(callers).toEqual([]);
  });

  test('does not reach abstract unix sockets of the host', async () => {
    expect(
      (await attacker.perl(connect('AF_UNIX', 'pack_sockaddr_un("\\0drydock-escape-test")'))).stdout,
    ).toBe('refused');
    expect(callers).toEqual([]);
  });

  test('does not reach the host’s ports, its neighbours or cloud metadata addresses', async () => {
    for (const [host, at] of [
      ['127.0.0.1', port],
      ['0.0.0.0', port],
      ['169.254.169.254', 80],
      ['10.0.0.1', 80],
      ['1.1.1.1', 53],
    ] as const) {
      expect(
        (await attacker.perl(connect('AF_INET', `pack_sockaddr_in(${at}, inet_aton("${host}"))`))).stdout,
      ).toBe('refused');
    }
    expect(callers).toEqual([]);
    expect(
      (await attacker.sh('ls /proc/sys/net/ipv4/conf; tail -n +3 /proc/net/dev | cut -d: -f1')).stdout
        .split(/\s+/)
        .filter(Boolean),
    ).toEqual(['all', 'default', 'lo', 'lo']);
  });

  test('has a working loopback', async () => {
    const { stdout } = await attacker.perl(
      'use Socket; socket(my $l, AF_INET, SOCK_STREAM, 0); bind($l, pack_sockaddr_in(8080, INADDR_ANY)) or die $!; listen($l, 1); socket(my $c, AF_INET, SOCK_STREAM, 0); print connect($c, pack_sockaddr_in(8080, inet_aton("127.0.0.1"))) ? "own" : $!;',
    );
    expect(stdout).toBe('own');
  });

  test.each([
    ['raw IP', '2, 3, 1', 1],
    ['raw IPv6', '10, 3, 58', 1],
    ['packets of a link', '17, 3, 768', 97],
    ['the crypto of the kernel', '38, 5, 0', 97],
    ['the hypervisor', '40, 1, 0', 97],
    ['bluetooth', '31, 3, 1', 97],
    ['the audit of the kernel', '16, 3, 9', 93],
    ['its netfilter', '16, 3, 12', 93],
    ['SCTP', '2, 1, 132', 93],
  ])('offers no socket for %s', async (_name, args, errno) => {
    const number = process.arch === 'arm64' ? 198 : 41;
    expect((await attacker.perl(`syscall(${number}, ${args}); print $!+0`)).stdout).toBe(String(errno));
  });

  test('does not allow addresses and links to be changed', async () => {
    const { stdout } = await attacker.sh(
      'command -v ip > /dev/null || exit 0; ip link add d0 type dummy 2>/dev/null && echo made; ip addr add 10.9.9.9/8 dev lo 2>/dev/null && echo added; ip link set lo down 2>/dev/null && echo down; true',
    );
    expect(stdout).toBe('');
    expect(existsSync('/sys/class/net/d0')).toBe(false);
  });
});
