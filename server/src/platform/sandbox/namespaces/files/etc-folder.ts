/** The /etc of sandboxes: one folder shared by all of them, overlaid with two files of each sandbox. */
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

/**
 * Creates the files, and mount points for everything mounted into it. Each server writes it again, since another version may have other
 * contents.
 */
export function writeSharedEtc(folder: string, host: HostFiles): void {
  for (const path of ['', 'ssl', ...host.etcFolders].map((name) => join(folder, name))) {
    mkdirSync(path, { recursive: true });
    chmodSync(path, FOLDER_MODE);
  }
  for (const name of [...OWN_ETC_FILES, ...host.etcFiles])
    closeSync(openSync(join(folder, name), 'a', FILE_MODE));
  for (const [name, lines] of Object.entries(FILES)) {
    // Written next to the folder, where no sandbox sees it, under a name of this server: another one may be doing the same.
    const draft = `${folder}.${name}.${randomUUID()}`;
    writeLines(draft, lines);
    renameSync(draft, join(folder, name));
  }
}

/** @param folder the sandbox's own folder */
export function writeOwnEtc(folder: string, hostname: string): void {
  writeLines(join(folder, 'hosts'), ['127.0.0.1 localhost', '::1 localhost', `127.0.1.1 ${hostname}`]);
  writeLines(join(folder, 'hostname'), [hostname]);
}

function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, FILE_MODE); // independent of the umask of this process
}
