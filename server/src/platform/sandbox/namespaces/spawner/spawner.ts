/** Has processes started by the small spawner process, which starts in advance, and is restarted when it has ended. */
import type { StrayFiles } from '../host-environment.ts';
import type { Programs } from '../programs.ts';
import { SpawnerConnection, type StartedProcess } from './spawner-connection.ts';
import type { ProcessPlan } from './spawner-messages.ts';

export class Spawner {
  readonly #programs: Programs;
  readonly #strayFiles: StrayFiles;
  #connection: SpawnerConnection | undefined;
  #isClosed = false;

  constructor(programs: Programs, strayFiles: StrayFiles) {
    this.#programs = programs;
    this.#strayFiles = strayFiles;
  }

  /** Prepares for a start that will follow soon. */
  prepare(): SpawnerConnection {
    if (this.#isClosed) throw new Error('closed');
    if (!this.#connection?.isUsable) {
      this.#connection = new SpawnerConnection(this.#programs.setpriv, this.#strayFiles);
    }
    return this.#connection;
  }

  /** @throws with the system's error code; or without one, because the spawner ended */
  async start(plan: ProcessPlan): Promise<StartedProcess> {
    try {
      return await this.prepare().start(plan);
    } catch (error) {
      if (!isUnsent(error)) throw error;
      return await this.prepare().start(plan);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
    this.#connection = undefined;
  }
}

/** The spawner had ended unnoticed before the request was sent. */
const isUnsent = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EPIPE' || error.code === 'ERR_IPC_CHANNEL_CLOSED');
