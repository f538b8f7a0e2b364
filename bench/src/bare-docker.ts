/** The minimum cost of a container that is started by hand: `docker run` of `true`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface BareDocker {
  /** Runs from the call until the container has ended. */
  run(): Promise<void>;
  /** Removes what the last run left. */
  remove(): Promise<void>;
}

export function bareDocker(socketPath: string, image: string): BareDocker {
  const docker = (...args: string[]) => run('docker', ['--host', `unix://${socketPath}`, ...args]);
  return {
    run: async () => {
      await docker('run', '--name', 'bare', '--network', 'none', image, 'true');
    },
    remove: async () => {
      await docker('rm', 'bare');
    },
  };
}
