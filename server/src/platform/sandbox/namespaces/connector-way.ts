/** How a process comes into the network of a sandbox, and into nothing else of it. */
import type { Entrance } from './entrance.ts';
import { toUserChange } from './host-environment.ts';
import type { Programs } from './programs.ts';

export interface ConnectorWay {
  /** What it needs to come in; the caller closes them. @throws when the sandbox has ended */
  open(): number[];
  /** @param files paths to what was opened @returns a command that becomes the one behind it, as the sandbox's user and without rights */
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
