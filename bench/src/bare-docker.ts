/** The least that a container can cost who starts one by hand: `docker run` of `true`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface BareDocker {
  /** From the call until it has ended. */
  run(): Promise<void>;
  /** What the last one left. */
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
