/** `npm run test:clients`: the published client dreadnode, unmodified, against a fresh server. It takes some minutes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './demo/server.ts';
import { findPython, installPython } from './python-packages.ts';

const FOLDER = join(import.meta.dirname, '../.python-clients');
const REQUIREMENTS = join(import.meta.dirname, 'clients/requirements.txt');
const DRIVER = join(import.meta.dirname, 'clients/drive_dreadnode.py');

const missing = installPython(FOLDER, REQUIREMENTS);
const python = findPython(FOLDER, REQUIREMENTS);
if (missing || python === undefined) {
  console.error(
    'The packages of scripts/clients/requirements.txt could not be installed; see above. They need Python 3.11 or newer, pip and a package index.',
  );
  process.exit(1);
}

/** The home of the client, so that it finds no profile of the user's, and changes none. */
const home = mkdtempSync(join(tmpdir(), 'drydock-clients-'));
const server = await startServer();
try {
  const { status } = spawnSync(python, [DRIVER], {
    cwd: home,
    stdio: 'inherit',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PYTHONDONTWRITEBYTECODE: '1',
      COLUMNS: '200',
      DRYDOCK_URL: server.url,
      DRYDOCK_API_KEY: server.key,
    },
  });
  process.exitCode = status === 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
