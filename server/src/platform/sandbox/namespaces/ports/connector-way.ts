/** Ways for a process to enter the network of a sandbox, and nothing else. */
import type { Entrance } from '../entrance.ts';
import { toUserChange } from '../host-environment.ts';
import type { Programs } from '../programs.ts';

export interface ConnectorWay {
  /**
   * Opens the files needed to enter; the caller closes them.
   * @throws when the sandbox has ended
   */
  open(): number[];
  /**
   * @param files paths to the opened files
   * @returns a command prefix that runs its arguments as the sandbox's user and without privileges
   */
  toCommand(files: readonly string[]): string[];
}

export interface NamespacesPlace {
  readonly programs: Pick<Programs, 'setpriv' | 'nsenter'>;
  readonly entrance: Entrance;
  readonly uid: number;
}

export function toNamespacesWay({ programs, entrance, uid }: NamespacesPlace): ConnectorWay {
  const { setpriv, nsenter } = programs;
  return {
    open: () => entrance.openNetwork(),
    toCommand: ([user = '', net = '']) =>
      [
        toUserChange(setpriv, uid, ['--pdeathsig', 'KILL']),
        [nsenter, '--preserve-credentials', `--user=${user}`, `--net=${net}`, '--'],
        [setpriv, '--bounding-set', '-all', '--inh-caps', '-all', '--pdeathsig', 'KILL', '--'],
      ].flat(),
  };
}
