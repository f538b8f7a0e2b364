/** The answer to one request: each leaves through here, errors too, and takes care of a body that was not read. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uuidv7 } from '../../../platform/uuid.ts';
import type { S3Error } from '../s3-error.ts';
import { ALWAYS, toErrorXml } from './error-answers.ts';
import type { AnswerHeaders } from './object-headers.ts';

/** What is left of a body up to this size is read, so that the connection can be used again. */
const MAX_KEPT_BYTES = 64 * 1024;
/** Beyond, a client is still heard for a while: most read no answer before they have sent everything. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 5_000;

export class Reply {
  readonly id = uuidv7();
  readonly response: ServerResponse;
  private readonly request: IncomingMessage;
  private awaitsContinue: boolean;
  private isAbandoned = false;
  /** Set while the answer is sent and the rest of the request is still heard. */
  private endDiscarding: (() => void) | undefined;

  /** @param awaitsContinue the client sends no body before it is told to */
  constructor(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    this.request = request;
    this.response = response;
    this.awaitsContinue = awaitsContinue;
  }

  /** What is to happen next: the rest of the request arrives, we finish what it asks for, or the answer goes out. */
  get state(): 'awaits request' | 'at work' | 'answers' {
    if (this.response.headersSent) return 'answers';
    return this.request.complete ? 'at work' : 'awaits request';
  }

  /** Nobody is there any more to be told anything. */
  get isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  /** To be called once nothing speaks against the body any more. */
  welcomeBody(): void {
    if (!this.awaitsContinue) return;
    this.awaitsContinue = false;
    this.response.writeContinue();
  }

  /** @param headers may say another length, of what a HEAD is not sent */
  send(status: number, headers: AnswerHeaders, body?: string | Buffer): void {
    const { response } = this;
    const leavesBody = this.leavesBody();
    if (status !== 204 && status !== 304) headers['content-length'] ??= body ? Buffer.byteLength(body) : 0;
    this.writeHead(status, headers, leavesBody);
    if (!leavesBody || this.isAbandoned) response.end(body);
    else {
      // Ended later: Node then closes the connection, and with unread bytes the client would see a reset.
      if (body === undefined) response.flushHeaders();
      else response.write(body);
      this.discardBody();
    }
  }

  sendXml(body: string, status = 200, headers: AnswerHeaders = {}): void {
    this.send(status, { 'content-type': 'application/xml', ...headers }, body);
  }

  /** When the client hangs up, the source is closed. */
  async stream(status: number, headers: AnswerHeaders, body: Readable): Promise<void> {
    try {
      this.writeHead(status, headers, this.leavesBody());
      // Where the client has left before, it rejects without a look at the source.
      await pipeline(body, this.response);
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  fail(error: S3Error): void {
    const { response, request } = this;
    if (response.headersSent || response.destroyed) {
      // An answer that has begun can only be cut off.
      if (!response.writableFinished) response.destroy();
      return;
    }
    const headers: AnswerHeaders = {};
    if (error.code === 'InvalidRange')
      headers['content-range'] = `bytes */${error.details['ActualObjectSize']}`;
    if (request.method === 'HEAD') this.send(error.status, headers);
    else this.sendXml(toErrorXml(error, this.id), error.status, headers);
  }

  /** Answers a client from which nothing more comes. */
  giveUp(error: S3Error): void {
    this.isAbandoned = true;
    // Who still waits for its body would wait for ever: Node tells of a request's end only until it is answered.
    this.response.once('close', () => this.request.destroy());
    if (this.endDiscarding) this.endDiscarding();
    else this.fail(error);
  }

  private writeHead(status: number, headers: AnswerHeaders, isLast: boolean): void {
    this.response.writeHead(status, {
      ...ALWAYS,
      'x-amz-request-id': this.id,
      ...headers,
      ...(isLast && { connection: 'close' }),
    });
  }

  /** Whether so much of the request is still to come that it is not worth waiting for. */
  private leavesBody(): boolean {
    const { headers, complete } = this.request;
    const length = headers['content-length'];
    const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
    if (!hasBody || complete) return false;
    return this.isAbandoned || this.awaitsContinue || length === undefined || Number(length) > MAX_KEPT_BYTES;
  }

  private discardBody(): void {
    const { request, response } = this;
    let left = MAX_DISCARDED_BYTES;
    const end = () => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(end, MAX_DISCARD_MS);
    this.endDiscarding = end;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) end();
    });
    request.once('end', end).once('close', end).once('error', end);
    request.resume();
  }
}
