/** The connection to a container engine. Every call has a timeout, and every error says that it comes from the engine. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { Limit } from '../../sandbox-provider.ts';
import type { EngineAddress } from './engine-address.ts';

const USUAL_TIMEOUT_MS = 60_000;

/** An error of the engine, or a failure to reach it. */
export class EngineError extends ApiError {
  /** HTTP status of the response; undefined when there was none. */
  readonly engineStatus: number | undefined;

  constructor(detail: string, engineStatus: number | undefined, cause: unknown) {
    super('sandbox_provider_error', detail, { cause });
    this.engineStatus = engineStatus;
  }
}

export interface EngineDescription {
  /** Name of the architecture as reported by `uname -m` or Go. */
  readonly architecture: string;
  readonly isPodman: boolean;
  readonly claims: Readonly<Record<Limit, boolean>>;
}

const infoSchema = z.object({
  Architecture: z.string().default(''),
  CpuCfsQuota: z.boolean().default(false),
  MemoryLimit: z.boolean().default(false),
  PidsLimit: z.boolean().default(false),
});
const versionSchema = z.object({ Components: z.array(z.object({ Name: z.string() })).default([]) });
type DockerCall = (options: { abortSignal: AbortSignal }) => Promise<unknown>;

export class Engine {
  readonly docker: Docker;
  /** True for an engine on this machine, which may be able to mount our folders. */
  readonly isLocal: boolean;
  private readonly agent: HttpAgent;
  private reaching: Promise<unknown> | undefined;
  private description: Promise<EngineDescription> | undefined;

  private constructor(docker: Docker, isLocal: boolean, agent: HttpAgent) {
    this.docker = docker;
    this.isLocal = isLocal;
    this.agent = agent;
  }

  /** Creates the client without sending a request. */
  static async connect(address: EngineAddress): Promise<Engine> {
    // Loaded only when an engine is used.
    const { default: Dockerode } = await import('dockerode');
    if ('socketPath' in address) {
      const agent = new HttpAgent({ keepAlive: true });
      // Prevents DOCKER_HOST from taking precedence.
      const options = { socketPath: address.socketPath, host: undefined, agent };
      return new Engine(new Dockerode(options), true, agent);
    }
    const agent = new HttpsAgent({ keepAlive: true });
    const options = { ...address, protocol: 'https', agent } as const;
    return new Engine(new Dockerode(options), false, agent);
  }

  /** @throws {EngineError} */
  async call<T>(
    work: (docker: Docker, abortSignal: AbortSignal) => Promise<T>,
    timeoutMs = USUAL_TIMEOUT_MS,
  ): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await work(this.docker, signal);
    } catch (error) {
      throw toEngineError(error, signal.aborted ? timeoutMs : undefined);
    }
  }

  /** Returns the engine's description; cached, since some engines are slow. */
  describe(): Promise<EngineDescription> {
    this.description ??= this.readDescription();
    return this.description;
  }

  /**
   * Shares one request among concurrent callers.
   * @throws {EngineError} while the engine is unavailable
   */
  reach(): Promise<unknown> {
    this.reaching ??= this.call((docker, abortSignal) =>
      (docker.ping as DockerCall).call(docker, { abortSignal }),
    ).finally(() => {
      this.reaching = undefined;
    });
    return this.reaching;
  }

  private async readDescription(): Promise<EngineDescription> {
    const [info, version] = await this.call(async (docker, abortSignal) => {
      // The type definitions lack the options.
      const request = (work: unknown) => (work as DockerCall).call(docker, { abortSignal });
      return [
        infoSchema.parse(await request(docker.info)),
        versionSchema.parse(await request(docker.version)),
      ];
    });
    return {
      architecture: info.Architecture,
      isPodman: version.Components.some(({ Name }) => Name.includes('Podman')),
      claims: { cpu: info.CpuCfsQuota, memory: info.MemoryLimit, pids: info.PidsLimit },
    };
  }

  /** Like `call`, but returns undefined when the object does not exist. */
  async find<T>(
    work: (docker: Docker, abortSignal: AbortSignal) => Promise<T>,
    timeoutMs = USUAL_TIMEOUT_MS,
  ): Promise<T | undefined> {
    try {
      return await this.call(work, timeoutMs);
    } catch (error) {
      if (error instanceof EngineError && error.engineStatus === 404) return undefined;
      throw error;
    }
  }

  /**
   * Runs a command in a container, with the connection as its input and output.
   * @param startup aborts while the command has not started
   */
  async attach(
    container: string,
    options: Docker.ExecCreateOptions,
    startup: AbortSignal,
  ): Promise<{ readonly exec: Docker.Exec; readonly connection: Duplex }> {
    const given = { AttachStdin: true, AttachStdout: true, AttachStderr: true, ...options };
    const exec = await this.call((docker) => {
      return docker.getContainer(container).exec({ ...given, abortSignal: startup });
    });
    // The request that starts the command is never ended, so a refused one must be released explicitly.
    const letGo = new AbortController();
    const signal = AbortSignal.any([letGo.signal, startup]);
    try {
      const connection = await this.call(() => exec.start(toStart(options.Tty === true, signal)));
      connection.on('error', () => undefined); // its end reports the same
      return { exec, connection };
    } catch (error) {
      letGo.abort();
      throw startup.aborted ? startup.reason : error;
    }
  }

  close(): void {
    this.agent.destroy();
  }
}

const toStart = (Tty: boolean, abortSignal: AbortSignal) =>
  ({ hijack: true, stdin: true, Detach: false, Tty, abortSignal }) as Docker.ExecStartOptions;

function toEngineError(error: unknown, timeoutMs: number | undefined): unknown {
  if (error instanceof ApiError) return error;
  if (timeoutMs !== undefined) {
    return new EngineError(
      `The container engine did not respond within ${timeoutMs / 1000} s.`,
      undefined,
      error,
    );
  }
  const { statusCode, json, message } = error as {
    readonly statusCode?: number;
    readonly json?: { readonly message?: string } | null;
    readonly message?: string;
  };
  const reason = json?.message ?? message?.replace(/^\(HTTP code \d+\) .*? - /, '') ?? String(error);
  const detail =
    statusCode === undefined
      ? `The container engine cannot be reached: ${reason.trim()}.`
      : `The container engine refused: ${reason.trim()}.`;
  return new EngineError(detail.replace(/\.\.$/, '.'), statusCode, error);
}
