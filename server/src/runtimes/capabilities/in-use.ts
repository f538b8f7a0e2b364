/**
 * Tracks processes of capabilities in a sandbox: each worker and MCP server has a folder there, so that any process that changes the
 * capabilities can end it, whichever process started it.
 */
import { createHash } from 'node:crypto';
import { collectOutput } from '../../platform/sandbox/output.ts';
import type { Command, SandboxProvider } from '../../platform/sandbox/sandbox-provider.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type BindingRow, effectiveFlags } from './bindings.ts';
import { STATUS, SWEEP, WAIT } from './workers/scripts.ts';

/** In the memory file system of the sandbox, so that it disappears with the sandbox. */
export const USED = '/tmp/.capability-workers';
const TIMEOUT_MS = 30_000;
/** Identifies this process, because each process has its own servers. */
const PROCESS = uuidv7();

type Used = Pick<BindingRow, 'id' | 'version_id' | 'flags' | 'default_flags'>;

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** State from which an MCP server was started; a change requires a restart. */
const stateOf = (binding: Used) => {
  const flags = Object.entries(effectiveFlags(binding)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(JSON.stringify([binding.version_id, flags]));
};

/** Only a session leader can be ended by its session. Without flock there are no workers, so nothing checks. */
const NOTE = `
d=$1; shift
if command -v flock >/dev/null && mkdir -p "$d" && chmod 700 "$d" && touch "$d/lock"; then
  { read -r line <"/proc/$$/stat"; } 2>/dev/null
  fields=\${line##*) }
  session=\${fields#* * * }; session=\${session%% *}
  exec 9>>"$d/lock"
  [ "$session" = $$ ] && flock -w 5 9 && echo "$session" >"$d/session"
fi 2>/dev/null
exec "$@"
`;

/** Wraps the command of an MCP server so that it first records its session. */
export function noteServer(binding: Used, server: string, command: Command): Command {
  const folder = `${USED}/${binding.id}/mcp-${stateOf(binding)}-${digestOf(`${PROCESS} ${server}`)}`;
  return { ...command, argv: ['/bin/sh', '-c', NOTE, 'sh', folder, ...command.argv] };
}

/**
 * Ends processes of capabilities that are not in the list.
 * @returns why some could not be ended, if the guest has prevented it
 */
export async function endUnused(
  provider: SandboxProvider,
  sandboxId: string,
  enabled: readonly Used[],
): Promise<string | undefined> {
  const kept = enabled.flatMap((binding) => [binding.id, `${binding.id}/${stateOf(binding)}`]);
  const given = [String(WAIT), USED, ` ${kept.join(' ')} `];
  const command = { argv: ['/bin/sh', '-c', SWEEP, 'sh', ...given] as const, cwd: '/', environment: {} };
  const { exit_code, stderr } = await collectOutput(await provider.exec(sandboxId, command), {
    timeoutMs: TIMEOUT_MS,
  });
  if (exit_code === 0 || exit_code === STATUS.noTools) return undefined;
  return stderr.trim().slice(-500) || `its script ended with ${exit_code}`;
}
