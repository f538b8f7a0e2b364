/** Chat completions: finds the model, holds back what it may cost, passes the answer on and writes down what it took. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, withHeaders } from '../../platform/errors.ts';
import { type ConnectionLimits, ConnectionSlots } from '../../platform/http/connection-slots.ts';
import type { BodyText } from '../../platform/http/json-body.ts';
import { Bytes, OwnEvents } from '../../platform/http/operations.ts';
import { isoNow } from '../../platform/iso-now.ts';
import type { ChatCall, ChatRequest, StreamPiece, WholeAnswer } from '../../platform/llm/chat-model.ts';
import type { Log } from '../../platform/log.ts';
import { MemoryRoom, type Share } from '../../platform/memory-room.ts';
import { uuidv7, withoutDashes } from '../../platform/uuid.ts';
import type { BegunCall, CallBook } from '../call-book.ts';
import type { ModelCatalog, OfferedModel } from '../offered-model.ts';
import { CallRecord } from './call-record.ts';
import { readLinks, withoutLinks } from './links.ts';
import { RelayedAnswer } from './relayed-answer.ts';
import { withModelName } from './request-text.ts';
import type { ChatCompletionRequest } from './schema.ts';
import { atMost } from './tokens.ts';

export interface ChatGatewayOptions {
  readonly catalog: ModelCatalog;
  readonly book: CallBook;
  readonly log: Log;
}

export interface ChatQuestion {
  readonly organizationId: string;
  readonly userId: string;
  readonly request: ChatCompletionRequest;
  /** It as it was sent. */
  readonly written: BodyText | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
}

/** At once: each holds two connections for as long as its model takes. */
const LIMITS: ConnectionLimits = { perUser: 512, perProcess: 4_096 };

/** OpenAI's clients would ask once more by themselves, and the model would be paid for once more. */
const NOT_AGAIN = { 'x-should-retry': 'false' };

/** As many as pictures are made at once: an answer that there is no room for is paid for. */
const ROOM = { what: 'large answers of models', perUser: 128 * 1024 * 1024, headers: NOT_AGAIN };

/** For how long a call that nobody waits for any more is read on, for what it took. */
const MAX_USAGE_MS = 1_000;

export class ChatGateway {
  private readonly options: ChatGatewayOptions;
  /** Calls that are not written down yet, and who waits until there are none. */
  private underWay = 0;
  private readonly none = Promise.withResolvers<void>();
  private isDraining = false;
  private readonly slots = new ConnectionSlots(LIMITS, 'calls of models');
  private readonly room = new MemoryRoom(ROOM);

  constructor(options: ChatGatewayOptions) {
    this.options = options;
  }

  async answer(question: ChatQuestion): Promise<Bytes | OwnEvents> {
    const { organizationId, request, headers, signal } = question;
    const links = readLinks(headers, request.metadata);
    // What is there already is not waited for: every wait is a turn of the queue, and a call has many.
    const found = this.options.catalog.getModel(organizationId, request.model);
    const model = found instanceof Promise ? await found : found;
    const begun: BegunCall = {
      id: uuidv7(),
      organizationId,
      userId: question.userId,
      model,
      isStreamed: request.stream === true,
      links,
      startedAt: isoNow(),
      atMost: atMost(request, model, lengthOf(headers)),
    };
    const room = this.room.open(question.userId);
    const unwatch = this.beginToWatch(question.userId);
    const over = () => {
      unwatch();
      room.free();
    };
    const answerHeaders = headersOf(begun);
    try {
      const held = this.options.book.begin(begun);
      if (held) await held;
      const record = new CallRecord({ book: this.options.book, call: begun, request, signal });
      const call = toChatCall(begun, question, room);
      if (begun.isStreamed) return new OwnEvents(await this.begin(call, model, record, over), answerHeaders);
      const { body, upstreamId } = await this.complete(call, model, record);
      const named =
        upstreamId === undefined ? answerHeaders : { ...answerHeaders, 'x-upstream-id': upstreamId };
      unwatch();
      const sent = room.isEmpty ? undefined : () => room.free();
      return new Bytes('application/json; charset=utf-8', body, named, sent);
    } catch (error) {
      over();
      throw error instanceof ApiError ? withHeaders(error, answerHeaders) : error;
    }
  }

  /** Resolves when every call is written down; those who asked are gone by then, and with that their calls end. */
  async drain(): Promise<void> {
    this.isDraining = true;
    if (this.underWay > 0) await this.none.promise;
  }

  private beginToWatch(userId: string): () => void {
    const free = this.slots.take(userId);
    this.underWay++;
    return () => {
      free();
      if (--this.underWay === 0 && this.isDraining) this.none.resolve();
    };
  }

  private async complete(call: ChatCall, model: OfferedModel, record: CallRecord): Promise<WholeAnswer> {
    let answer: WholeAnswer | undefined;
    try {
      call.signal.throwIfAborted();
      answer = await model.chat.complete(call);
      record.note(answer);
      // Before the caller can know of the answer.
      await record.complete();
      return answer;
    } catch (error) {
      if (answer) throw unwritten(error);
      await this.endFailed(record, error);
      throw error;
    }
  }

  private async begin(
    call: ChatCall,
    model: OfferedModel,
    record: CallRecord,
    over: () => void,
  ): Promise<AsyncIterable<Buffer>> {
    try {
      call.signal.throwIfAborted();
      const pieces = await model.chat.stream(call);
      const leave = (source: AsyncIterator<StreamPiece>, error: unknown) => this.leave(source, record, error);
      return new RelayedAnswer({ pieces, signal: call.signal, record, leave, over });
    } catch (error) {
      await this.endFailed(record, error);
      throw error;
    }
  }

  /** Before its end; where the model has finished, what it took is waited for. */
  private async leave(source: AsyncIterator<StreamPiece>, record: CallRecord, error: unknown): Promise<void> {
    try {
      if (record.isUsageDue) await readUsage(source, record);
      await source.return?.();
    } catch {
      // What was noted until here counts.
    }
    await this.endFailed(record, error);
  }

  /** That it cannot be written down is no answer to the caller, who is told of what failed first. */
  private async endFailed(record: CallRecord, error: unknown): Promise<void> {
    try {
      await (error === undefined ? record.cancel() : record.fail(error));
    } catch (cause) {
      this.options.log.error({ err: cause }, 'a call of a model that failed could not be written down');
    }
  }
}

async function readUsage(source: AsyncIterator<StreamPiece>, record: CallRecord): Promise<void> {
  const timer = setTimeout(() => void source.return?.(), MAX_USAGE_MS);
  try {
    while (record.isUsageDue) {
      const { done, value } = await source.next();
      if (done) return;
      record.note(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

const unwritten = (cause: unknown) =>
  new ApiError('database_error', 'The call cannot be written down.', { cause, headers: NOT_AGAIN });

function toChatCall(
  { id, model }: BegunCall,
  { request, written, headers, signal }: ChatQuestion,
  room: Share,
): ChatCall {
  return {
    id: `chatcmpl-${withoutDashes(id)}`,
    request: toProviderRequest(request, model),
    text: written && toProviderText(written, request, model),
    model: model.id,
    signal,
    retryCount: countOf(headers['x-stainless-retry-count']),
    room,
  };
}

function toProviderText(
  { text, memberCount }: BodyText,
  request: ChatCompletionRequest,
  { name }: OfferedModel,
): string | undefined {
  // Some of the metadata may be for us alone. Of what is said twice, a provider may take another than we do.
  if (request.metadata || Object.keys(request).length !== memberCount) return undefined;
  return withModelName(text, request.model, name);
}

function toProviderRequest(request: ChatCompletionRequest, { name: model }: OfferedModel): ChatRequest {
  if (!request.metadata) return { ...request, model };
  const { metadata, ...rest } = request;
  const kept = withoutLinks(metadata);
  return { ...rest, ...(kept && { metadata: kept }), model };
}

function headersOf({ id, model }: BegunCall): Record<string, string> {
  return { 'x-drydock-call-id': id, ...(model.isSimulated && { 'x-drydock-simulated': 'true' }) };
}

/** As OpenAI's clients tell it. */
const countOf = (header: string | string[] | undefined) =>
  typeof header === 'string' && /^\d{1,3}$/.test(header) ? Number(header) : 0;

const lengthOf = ({ 'content-length': length }: IncomingHttpHeaders) =>
  length === undefined ? undefined : Number(length);
