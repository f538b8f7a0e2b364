/** The minimum cost of a namespace sandbox: one bwrap process that runs `true`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const ARGUMENTS =
  '--ro-bind / / --proc /proc --dev /dev --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts true';

export async function bareBwrap(): Promise<void> {
  const [code] = (await once(spawn('bwrap', ARGUMENTS.split(' '), { stdio: 'ignore' }), 'exit')) as [
    number | null,
  ];
  if (code !== 0) throw new Error(`bwrap ended with ${code}; it must be able to make namespaces here`);
}
