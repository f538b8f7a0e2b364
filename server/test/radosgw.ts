/** A real S3 that is not ours: Ceph's, in a minimal setup, in memory and a folder of its own, only on loopback. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeMissing, findMissing, SYSTEM_PACKAGES } from '../../scripts/system-packages.ts';
import type { OutsideOptions } from '../src/platform/object-storage/outside/outside-options.ts';
import { makeFolder, until } from './processes.ts';

const BUCKET = 'drydock';
const ROLE_ARN = 'arn:aws:iam:::role/drydock';
const START_TIMEOUT_MS = 60_000;

export interface Radosgw {
  readonly options: OutsideOptions & { readonly endpoint: string };
  stop(): Promise<void>;
}

/** Returns why it cannot be started here; empty if it can. */
export const describeMissingRadosgw = () =>
  describeMissing(findMissing(SYSTEM_PACKAGES.filter(({ onlyFor }) => onlyFor === 'foreign-s3')));

/** The bucket is not created yet. */
export async function startRadosgw(): Promise<Radosgw> {
  const cluster = new Cluster(makeFolder());
  try {
    const port = await cluster.start();
    const keys = { accessKeyId: 'drydock', secretAccessKey: randomBytes(20).toString('hex') };
    await createUser(cluster, keys);
    return {
      options: {
        endpoint: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        bucket: BUCKET,
        ...keys,
        stsRoleArn: ROLE_ARN,
      },
      stop: () => cluster.stop(),
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Creates the user who owns the bucket, and a role that only this user may assume. */
async function createUser(cluster: Cluster, keys: { accessKeyId: string; secretAccessKey: string }) {
  const Version = '2012-10-17';
  const trust = {
    Version,
    Statement: [
      { Effect: 'Allow', Principal: { AWS: ['arn:aws:iam:::user/drydock'] }, Action: ['sts:AssumeRole'] },
    ],
  };
  const Resource = [`arn:aws:s3:::${BUCKET}`, `arn:aws:s3:::${BUCKET}/*`];
  const permission = { Version, Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource }] };
  const { accessKeyId, secretAccessKey } = keys;
  const role = '--role-name=drydock';
  await cluster.administer('user', 'create', '--uid=drydock', '--display-name=drydock', [
    `--access-key=${accessKeyId}`,
    `--secret-key=${secretAccessKey}`,
  ]);
  await cluster.administer('role', 'create', role, `--assume-role-policy-doc=${JSON.stringify(trust)}`);
  const document = `--policy-doc=${JSON.stringify(permission)}`;
  await cluster.administer('role-policy', 'put', role, '--policy-name=bucket', document);
}

/** A monitor, a store in memory and the gateway; each ends with this process. */
class Cluster {
  private readonly folder: string;
  private readonly children: ChildProcess[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @returns the gateway's port */
  async start(): Promise<number> {
    const { folder } = this;
    const [fsid, port, monitor] = [randomUUID(), await freePort(), `[v2:127.0.0.1:${await freePort()}]`];
    for (const name of ['mon', 'osd', 'run']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'ceph.conf'), toSettings({ folder, fsid, port, monitor }), { mode: 0o600 });
    const keyring = join(folder, 'keyring');
    const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'];
    await run('ceph-authtool', [
      '--create-keyring',
      keyring,
      '--gen-key',
      '-n',
      'mon.',
      '--cap',
      'mon',
      'allow *',
    ]);
    for (const name of ['client.admin', 'osd.0'])
      await run('ceph-authtool', [keyring, '--gen-key', '-n', name, ...all]);
    const map = join(folder, 'monmap');
    await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', monitor, map]);
    await this.call('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring);
    this.launch('ceph-mon', '-i', 'a');
    const osd = randomUUID();
    await this.call('ceph', '--connect-timeout=30', 'osd', 'new', osd);
    await this.call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
    this.launch('ceph-osd', '-i', '0');
    this.launch('radosgw', '-n', 'client.admin');
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('radosgw answers', isUp, START_TIMEOUT_MS);
    return port;
  }

  async administer(...words: (string | readonly string[])[]): Promise<void> {
    await this.call('radosgw-admin', ...words.flat());
  }

  async stop(): Promise<void> {
    // Stops the gateway first, while the services that it signs off from still run.
    for (const child of this.children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    }
  }

  private launch(program: string, ...words: readonly string[]): void {
    const child = spawn(program, [...this.settings(), '-f', ...words], { cwd: this.folder, stdio: 'ignore' });
    this.children.push(child);
  }

  private async call(program: string, ...words: readonly string[]): Promise<void> {
    await run(program, [...this.settings(), ...words]);
  }

  private settings(): string[] {
    return ['-c', join(this.folder, 'ceph.conf')];
  }
}

const run = promisify(execFile);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

interface Settings {
  readonly folder: string;
  readonly fsid: string;
  readonly port: number;
  readonly monitor: string;
}

function toSettings({ folder, fsid, port, monitor }: Settings): string {
  return `[global]
fsid = ${fsid}
mon host = ${monitor}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
keyring = ${folder}/keyring
run dir = ${folder}/run
crash dir = ${folder}/run
log file = ${folder}/$name.log
log to stderr = false
admin socket =
pid file =
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail crit = 1

[mon]
mon data = ${folder}/mon
mon initial members = a

[osd]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = ${4 * 2 ** 30}

[client]
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw s3 auth use sts = true
rgw sts key = ${randomBytes(8).toString('hex')}
`;
}
