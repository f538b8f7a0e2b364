/** Runs published models on this machine: one program for each, started by the first call and ended when nobody calls it any more. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL_OUTPUT_TOKENS, type LocalModelHost, type ServedModel } from '../../inference/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { ChatCall, ChatModel, ChatRequest } from '../../platform/llm/chat-model.ts';
import { OpenAICompatibleModel } from '../../platform/llm/openai-compatible/openai-compatible-model.ts';
import { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { TrainerProgram } from '../local-trainer/installation.ts';
import { fetchModel, findServable } from './servable.ts';

/** Number of models in memory at once. The least recently called one is replaced by another. */
const MAX_PROGRAMS = 2;
const IDLE_EXIT_SECONDS = 600;
const START_MS = 180_000;
const POLL_INTERVAL_MS = 200;
const MAX_FOLDER_LENGTH = 80;
const CALL_TIMEOUT_MS = 300_000;
const ERROR_CHARACTERS = 2_000;
const TIMEOUTS = { connect: 1_000, firstByte: 5_000, idle: 5_000 };

export interface LocalModelsOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  /** undefined where no trainer is installed: then nothing is served. */
  readonly program: TrainerProgram | undefined;
}

interface Program {
  readonly child: ChildProcess;
  readonly client: GuardedClient;
}

interface Entry {
  readonly program: Promise<Program>;
  /** Ends the program, also while it starts. */
  readonly ending: AbortController;
  calledAt: number;
  callCount: number;
}

export class LocalModels implements LocalModelHost {
  readonly #options: LocalModelsOptions;
  /** Keyed by the id of the version. */
  readonly #entries = new Map<string, Entry>();
  #sockets: string | undefined;
  #count = 0;

  constructor(options: LocalModelsOptions) {
    this.#options = options;
  }

  open(organizationId: string, served: ServedModel): ChatModel {
    const name = `${served.model}@${served.version}`;
    const named = (call: ChatCall) => ({
      ...call,
      request: { ...call.request, model: name, max_tokens: limitOf(call.request) },
    });
    return {
      complete: (call) => this.#call(organizationId, served, (model) => model.complete(named(call))),
      stream: async (call) => {
        const entry = this.#enter(organizationId, served);
        const chunks = await toModel(entry)
          .then((model) => model.stream(named(call)))
          .catch((error: unknown) => {
            entry.callCount--;
            throw error;
          });
        return withEnd(chunks, () => entry.callCount--);
      },
    };
  }

  async #call<Result>(
    organizationId: string,
    served: ServedModel,
    run: (model: ChatModel) => Promise<Result>,
  ): Promise<Result> {
    const entry = this.#enter(organizationId, served);
    try {
      return await run(await toModel(entry));
    } finally {
      entry.callCount--;
    }
  }

  /**
   * Starts the program of a model, or finds it running.
   * @throws {ApiError} `bad_gateway_error` if it cannot be started
   */
  async start(organizationId: string, served: ServedModel): Promise<void> {
    const entry = this.#enter(organizationId, served);
    try {
      await entry.program;
    } finally {
      entry.callCount--;
    }
  }

  /** Counts a call, so that its program is not ended for another one. */
  #enter(organizationId: string, served: ServedModel): Entry {
    const { version_id: id } = served;
    const found = this.#entries.get(id) ?? this.#add(organizationId, served);
    found.calledAt = performance.now();
    found.callCount++;
    return found;
  }

  #add(organizationId: string, served: ServedModel): Entry {
    const { version_id: id } = served;
    this.#makeRoom();
    const ending = new AbortController();
    const program = this.#startNew(organizationId, served, ending.signal);
    const entry = { program, ending, calledAt: 0, callCount: 0 };
    this.#entries.set(id, entry);
    const forget = () => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    };
    void forgetAtEnd(program, forget);
    return entry;
  }

  /** Ends the program of a model, where it runs. */
  async stop(versionId: string): Promise<void> {
    const entry = this.#entries.get(versionId);
    this.#entries.delete(versionId);
    entry?.ending.abort();
    const program = await entry?.program.catch(() => undefined);
    program?.client.close();
  }

  isRunning(versionId: string): boolean {
    return this.#entries.has(versionId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.stop(id)));
  }

  async #startNew(organizationId: string, served: ServedModel, signal: AbortSignal): Promise<Program> {
    const { program } = this.#options;
    if (!program)
      throw new ApiError(
        'bad_gateway_error',
        'No trainer is installed beside this server, so it cannot serve models. Install one with "npm run setup -- --training", or add a provider of your own.',
      );
    const folders = await this.#fetch(program, organizationId, served);
    signal.throwIfAborted();
    const socket = this.#newSocket(program.workFolder);
    const args = ['-m', 'drydock_trainer', 'serve', '--model', folders.model, '--socket', socket];
    const base = folders.base === undefined ? [] : ['--base', folders.base];
    const child = spawn(program.python, [...args, ...base, '--idle-exit', String(IDLE_EXIT_SECONDS)], {
      cwd: program.workFolder,
      env: program.environment,
      // The program ends when this pipe closes, so it never outlives this process.
      stdio: ['pipe', 'ignore', 'pipe'],
      signal,
    });
    const client = new GuardedClient({ isReachable: () => true, socketPath: socket });
    await untilReady(child, client, `${served.model}@${served.version}`);
    return { child, client };
  }

  /** The files of the model, and of the model below it where it is an adapter. */
  async #fetch({ workFolder }: TrainerProgram, organizationId: string, served: ServedModel) {
    const folder = join(workFolder, 'models');
    mkdirSync(folder, { recursive: true });
    const { own, base } = await findServable(this.#options.db, organizationId, served);
    const model = await fetchModel(this.#options, folder, own);
    return { model, base: base && (await fetchModel(this.#options, folder, base)) };
  }

  /** Paths of sockets hold at most 107 bytes, so a data directory with a long path has its sockets elsewhere. */
  #newSocket(workFolder: string): string {
    this.#sockets ??=
      workFolder.length <= MAX_FOLDER_LENGTH ? workFolder : mkdtempSync(join(tmpdir(), 'drydock-models-'));
    return join(this.#sockets, `${process.pid}-${++this.#count}.sock`);
  }

  #makeRoom(): void {
    if (this.#entries.size < MAX_PROGRAMS) return;
    const idle = [...this.#entries].filter(([, { callCount }]) => callCount === 0);
    const [oldest] = idle.toSorted(([, a], [, b]) => a.calledAt - b.calledAt);
    if (!oldest)
      throw new ApiError(
        'bad_gateway_error',
        `This server has ${MAX_PROGRAMS} models in memory, and all of them are answering calls. Try again later, or stop one.`,
      );
    void this.stop(oldest[0]);
  }
}

/** A program that could not be started has ended as well. */
async function forgetAtEnd(starting: Promise<Program>, forget: () => void): Promise<void> {
  const program = await starting.catch(() => undefined);
  if (!program || hasEnded(program.child)) forget();
  else program.child.once('close', forget);
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function toModel({ program }: Entry): Promise<ChatModel> {
  const { client } = await program;
  const provider = {
    name: 'local',
    baseUrl: 'http://model/v1',
    apiKey: undefined,
    timeoutMs: CALL_TIMEOUT_MS,
  };
  return new OpenAICompatibleModel(client, provider);
}

async function* withEnd<Chunk>(chunks: AsyncIterable<Chunk>, end: () => void): AsyncGenerator<Chunk> {
  try {
    yield* chunks;
  } finally {
    end();
  }
}

/** A model without a token limit would generate until its context is full, which takes minutes on a CPU. */
const limitOf = ({ max_tokens, max_completion_tokens }: ChatRequest) =>
  max_tokens ?? max_completion_tokens ?? LOCAL_OUTPUT_TOKENS;

/** @throws {ApiError} `bad_gateway_error` with the last words of a program that ends, or does not answer in time */
async function untilReady(child: ChildProcess, client: GuardedClient, name: string): Promise<void> {
  let errors = '';
  const ended = new AbortController();
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-ERROR_CHARACTERS);
  });
  child.once('error', (error) => {
    errors += error.message;
    ended.abort();
  });
  child.once('close', () => ended.abort());
  const until = performance.now() + START_MS;
  while (!ended.signal.aborted && performance.now() < until) {
    if (await isHealthy(client)) return;
    await sleep(POLL_INTERVAL_MS);
  }
  child.kill('SIGKILL');
  client.close();
  const reason = ended.signal.aborted
    ? `Its program has ended: ${errors.trim()}`
    : 'Its program did not answer in time.';
  throw new ApiError('bad_gateway_error', `Model "${name}" could not be served. ${reason}`);
}

async function isHealthy(client: GuardedClient): Promise<boolean> {
  try {
    const url = new URL('http://model/health');
    const { status, body } = await client.send({ url, method: 'GET', headers: {}, timeouts: TIMEOUTS });
    body.release();
    return status === 200;
  } catch {
    return false;
  }
}
