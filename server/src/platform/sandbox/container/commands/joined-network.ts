/** Connects to ports in a container of this machine, by a process of ours that joins its network and nothing else. */
import { closeSync, openSync, readlinkSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../../errors.ts';
import { StrayFiles, toUserChange } from '../../namespaces/host-environment.ts';
import { Connector } from '../../namespaces/ports/connector.ts';
import type { ConnectorWay } from '../../namespaces/ports/connector-way.ts';
import type { PortOpener } from '../../namespaces/ports/port-connections.ts';
import { findProgram } from '../../namespaces/programs.ts';
import { findProcess, isAlive, type ProcessName, readBootId } from '../../process-table.ts';
import { USER_ID } from '../container-plan.ts';
import type { Engine } from '../engine/engine.ts';
import { hasEnded } from './container-command.ts';

/** Requirements for joining. */
export interface Joining {
  readonly setpriv: string;
  readonly nsenter: string;
  readonly strayFiles: StrayFiles;
}

export class JoinedNetwork implements PortOpener {
  readonly #engine: Engine;
  readonly #container: string;
  readonly #joining: Joining;
  #connector: Promise<Connector> | undefined;

  constructor(engine: Engine, container: string, joining: Joining) {
    this.#engine = engine;
    this.#container = container;
    this.#joining = joining;
  }

  async connect(port: number): Promise<Duplex> {
    // Throws while the engine is unavailable, since the state of its containers is unknown.
    await this.#engine.reach();
    if (!this.#connector) {
      const opening = this.#open();
      this.#connector = opening;
      opening.catch(() => {
        this.#connector = undefined;
      });
    }
    return await (await this.#connector).connect(port);
  }

  async close(): Promise<void> {
    const connector = await this.#connector?.catch(() => undefined);
    await connector?.close();
  }

  async #open(): Promise<Connector> {
    const first = await findFirst(this.#engine, this.#container);
    return new Connector(toWay(this.#joining, first), this.#joining.strayFiles);
  }
}

/** Returns process 1 of a container, as numbered by this machine. */
async function findFirst(engine: Engine, container: string): Promise<ProcessName> {
  const readPid = async () => {
    const found = await engine.find((docker, abortSignal) => {
      return docker.getContainer(container).inspect({ abortSignal });
    });
    return found?.State.Pid ?? 0;
  };
  const pid = await readPid();
  const first = pid > 0 ? findProcess(pid) : undefined;
  // Reads it again after reading the start time: the process id was not reused in between.
  if (!first || (await readPid()) !== pid) throw hasEnded();
  return first;
}

/** Enters the network as root, and then becomes a user without rights there. */
function toWay({ setpriv, nsenter }: Joining, first: ProcessName): ConnectorWay {
  return {
    open: () => {
      if (!isAlive(first)) throw hasEnded();
      const file = openSync(`/proc/${first.pid}/ns/net`, 'r');
      if (isAlive(first)) return [file];
      closeSync(file);
      throw hasEnded();
    },
    toCommand: ([net = '']) =>
      [
        [setpriv, '--pdeathsig', 'KILL', '--'],
        [nsenter, `--net=${net}`, '--'],
        toUserChange(setpriv, USER_ID, [
          '--bounding-set',
          '-all',
          '--inh-caps',
          '-all',
          '--pdeathsig',
          'KILL',
        ]),
      ].flat(),
  };
}

/** Script in a container that prints the identity of its network. */
export const TELL_NETWORK =
  'echo "network $(readlink /proc/self/ns/net) $(cat /proc/sys/kernel/random/boot_id)"';

/**
 * Tries to join a network. The engine may be on another machine, or in another container with other process ids.
 * @param output output of the script in the container
 */
export async function findJoining(
  engine: Engine,
  container: string,
  output: string,
): Promise<Joining | undefined> {
  const [setpriv, nsenter] = [findProgram('setpriv'), findProgram('nsenter')];
  if (!engine.isLocal || process.getuid?.() !== 0 || !setpriv || !nsenter) return undefined;
  const joining = { setpriv, nsenter, strayFiles: new StrayFiles() };
  const network = new JoinedNetwork(engine, container, joining);
  try {
    const { pid } = await findFirst(engine, container);
    const seen = `network ${readlinkSync(`/proc/${pid}/ns/net`)} ${readBootId()}\n`;
    if (!output.includes(seen)) return undefined;
    // A refusal of port 1 proves that the process is in that network.
    const response = await network.connect(1).catch((error: unknown) => error);
    return response instanceof ApiError && response.type === 'bad_gateway_error' ? joining : undefined;
  } catch {
    return undefined;
  } finally {
    await network.close();
  }
}
