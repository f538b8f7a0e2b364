/** Has processes started by a small one, which is there from the first on, and again after it has ended. */
import type { StrayFiles } from './host-environment.ts';
import type { Programs } from './programs.ts';
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

  /** Something will be started soon. */
  prepare(): SpawnerConnection {
    if (this.#isClosed) throw new Error('closed');
    if (!this.#connection?.isUsable) {
      this.#connection = new SpawnerConnection(this.#programs.setpriv, this.#strayFiles);
    }
    return this.#connection;
  }

  /** @throws with the code of what the system refused; or, without one, because the spawner ended */
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

/** It had ended, and nobody had noticed yet. */
const isUnsent = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EPIPE' || error.code === 'ERR_IPC_CHANNEL_CLOSED');
