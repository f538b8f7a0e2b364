/** Builds the image of the suites: a tar of this machine's own packages, so that nothing has to be downloaded. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import type { Readable } from 'node:stream';

const PACKAGES = [
  'bash bsdutils coreutils dash findutils gawk grep gzip hostname iproute2 libpython3-stdlib mawk perl-base',
  'procps python3 python3-minimal sed socat tar util-linux',
].flatMap((line) => line.split(' '));

/** Documentation, and files that identify this machine. */
const LEFT_OUT =
  /^\/(etc|var|\.)|^\/usr\/share\/(bash-completion|bug|doc|i18n|info|lintian|locale|man|perl|zoneinfo)/;
/** Paths that are links into /usr, under which packages name their files. */
const MERGED = /^\/(bin|sbin|lib|lib32|lib64|libx32)(?=\/)/;

/** Links that belong to no package: those into /usr, and those managed by alternatives. */
const LINKS = ['/bin', '/sbin', '/lib', '/lib64', '/usr/bin/awk', '/etc/alternatives/awk'];

export function openBaseImage(): Readable {
  const names = findWithNeeded(PACKAGES);
  const listed = execFileSync('dpkg-query', ['-L', ...names], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  const files = new Set(
    listed
      .split('\n')
      .filter((path) => path !== '' && !LEFT_OUT.test(path))
      .map((path) => path.replace(MERGED, '/usr/$1'))
      .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false),
  );
  for (const link of LINKS) if (existsSync(link)) files.add(link);
  const tar = spawn('tar', ['--create', '--no-recursion', '--null', '--files-from=-', '--file=-'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  tar.stdin.end([...files].map((path) => `${path}\0`).join(''));
  return tar.stdout;
}

/** Adds the installed dependencies of the packages. */
function findWithNeeded(wanted: readonly string[]): string[] {
  const format = '${db:Status-Status}\t${Package}\t${Pre-Depends},${Depends}\t${Provides}\n';
  const rows = execFileSync('dpkg-query', ['-W', '-f', format], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([status]) => status === 'installed');
  const toNames = (list = '') => list.split(',').map((entry) => /[a-z0-9][^ :(|]*/.exec(entry)?.[0] ?? '');
  const needs = new Map(rows.map(([, name = '', depends]) => [name, toNames(depends)]));
  const providers = new Map(
    rows.flatMap(([, name = '', , provides]) => toNames(provides).map((each) => [each, name] as const)),
  );
  const found = new Set<string>();
  const queue = [...wanted];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const name = needs.has(next) ? next : providers.get(next);
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    queue.push(...(needs.get(name) ?? []));
  }
  return [...found];
}
