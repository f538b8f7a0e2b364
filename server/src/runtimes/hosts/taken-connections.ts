/** Upgraded connections of other processes: to a port in a sandbox, or to a terminal. */
import type { Socket } from 'node:net';
import { ApiError } from '../../platform/errors.ts';
import type { Upgrade } from '../../platform/http/upgrades.ts';
import { splice } from '../../platform/net/splice.ts';
import type { LocalOperator } from '../lifecycle/local-operator.ts';
import { abandon } from '../terminals/terminal-link.ts';
import { serveLink } from './forwarded-terminal.ts';
import type { HostRequest } from './host-requests.ts';

/** Errors before the upgrade are returned as responses. */
export async function takeOver(
  local: LocalOperator,
  verb: string,
  { target, port, terminal }: HostRequest,
  upgrade: Upgrade,
): Promise<void> {
  if (verb === 'connect' && port !== undefined) {
    const inside = await local.connect(target, port);
    splice(
      take(upgrade, verb, () => inside.destroy()),
      inside,
    );
  } else if (verb === 'terminal' && terminal) {
    const link = await local.openTerminal(target, terminal);
    void serveLink(
      take(upgrade, verb, () => abandon(link, terminal)),
      link,
    );
  } else throw new ApiError('invalid_error', 'This request is not a connection upgrade.');
}

/** @param leave called when the caller has disconnected in the meantime */
function take(upgrade: Upgrade, verb: string, leave: () => void): Socket {
  try {
    const { socket, head, signal } = upgrade.take();
    // Closes the connection when this process stops.
    signal.addEventListener('abort', () => socket.destroy());
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${verb}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    return socket;
  } catch (error) {
    leave();
    throw error;
  }
}
