/** The /etc of sandboxes: one folder that all of them see, and two files of their own that lie over it. */
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostFiles, OWN_ETC_FILES } from './root-file-system.ts';

const FILES: Readonly<Record<string, readonly string[]>> = {
  passwd: [
    'root:x:0:0:root:/:/usr/sbin/nologin',
    'user:x:1000:1000:user:/home/user:/bin/sh',
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  ],
  group: ['root:x:0:', 'user:x:1000:', 'nogroup:x:65534:'],
  'nsswitch.conf': ['passwd: files', 'group: files', 'hosts: files dns', 'services: files'],
  'resolv.conf': ['# Names are resolved by the proxy, where there is one.'],
  'host.conf': ['multi on'],
};

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/** Its files, and a place for whatever is mounted into it. Written anew by each server: another version may say otherwise. */
export function writeSharedEtc(folder: string, host: HostFiles): void {
  for (const path of ['', 'ssl', ...host.etcFolders].map((name) => join(folder, name))) {
    mkdirSync(path, { recursive: true });
    chmodSync(path, FOLDER_MODE);
  }
  for (const name of [...OWN_ETC_FILES, ...host.etcFiles])
    closeSync(openSync(join(folder, name), 'a', FILE_MODE));
  for (const [name, lines] of Object.entries(FILES)) {
    // Beside it, where no sandbox sees it, and of this server alone: another may be doing the same.
    const draft = `${folder}.${name}.${randomUUID()}`;
    writeLines(draft, lines);
    renameSync(draft, join(folder, name));
  }
}

/** @param folder of the sandbox's own */
export function writeOwnEtc(folder: string, hostname: string): void {
  writeLines(join(folder, 'hosts'), ['127.0.0.1 localhost', '::1 localhost', `127.0.1.1 ${hostname}`]);
  writeLines(join(folder, 'hostname'), [hostname]);
}

function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, FILE_MODE); // whatever the process's umask is
}
