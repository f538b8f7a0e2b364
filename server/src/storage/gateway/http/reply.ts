/** The response to one request. All responses, including errors, are sent through it, and it deals with an unread body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uuidv7 } from '../../../platform/uuid.ts';
import type { S3Error } from '../s3-error.ts';
import { ALWAYS, toErrorXml } from './error-responses.ts';
import type { ResponseHeaders } from './object-headers.ts';

/** An unread body up to this size is consumed, so that the connection can be reused. */
const MAX_KEPT_BYTES = 64 * 1024;
/** A larger body is consumed for a while: most clients read no response before they have sent everything. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 5_000;

export class Reply {
  readonly id = uuidv7();
  readonly response: ServerResponse;
  private readonly request: IncomingMessage;
  private awaitsContinue: boolean;
  private isAbandoned = false;
  /** Set while the response is being sent and the rest of the request is consumed. */
  private endDiscarding: (() => void) | undefined;

  /** @param awaitsContinue whether the client waits for 100 Continue before it sends the body */
  constructor(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    this.request = request;
    this.response = response;
    this.awaitsContinue = awaitsContinue;
  }

  /** The current phase: receiving the rest of the request, processing it, or sending the response. */
  get state(): 'awaits request' | 'at work' | 'answers' {
    if (this.response.headersSent) return 'answers';
    return this.request.complete ? 'at work' : 'awaits request';
  }

  /** Whether the client has disconnected. */
  get isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }

  /** Sends 100 Continue. Call it when the request is acceptable and its body is wanted. */
  welcomeBody(): void {
    if (!this.awaitsContinue) return;
    this.awaitsContinue = false;
    this.response.writeContinue();
  }

  /** @param headers may state the length of a body that a HEAD request does not get */
  send(status: number, headers: ResponseHeaders, body?: string | Buffer): void {
    const { response } = this;
    const leavesBody = this.leavesBody();
    if (status !== 204 && status !== 304) headers['content-length'] ??= body ? Buffer.byteLength(body) : 0;
    this.writeHead(status, headers, leavesBody);
    if (!leavesBody || this.isAbandoned) response.end(body);
    else {
      // The response ends later: otherwise Node closes the connection, and unread bytes would cause a reset at the client.
      if (body === undefined) response.flushHeaders();
      else response.write(body);
      this.discardBody();
    }
  }

  sendXml(body: string, status = 200, headers: ResponseHeaders = {}): void {
    this.send(status, { 'content-type': 'application/xml', ...headers }, body);
  }

  /** Closes the source when the client disconnects. */
  async stream(status: number, headers: ResponseHeaders, body: Readable): Promise<void> {
    try {
      this.writeHead(status, headers, this.leavesBody());
      // If the client has disconnected before, this rejects without reading the source.
      await pipeline(body, this.response);
    } catch (error) {
      body.destroy();
      throw error;
    }
  }

  fail(error: S3Error): void {
    const { response, request } = this;
    if (response.headersSent || response.destroyed) {
      // A response that has started can only be cut off.
      if (!response.writableFinished) response.destroy();
      return;
    }
    const headers: ResponseHeaders = {};
    if (error.code === 'InvalidRange')
      headers['content-range'] = `bytes */${error.details['ActualObjectSize']}`;
    if (request.method === 'HEAD') this.send(error.status, headers);
    else this.sendXml(toErrorXml(error, this.id), error.status, headers);
  }

  /** Sends an error to a client that has stopped sending. */
  giveUp(error: S3Error): void {
    this.isAbandoned = true;
    // A reader of the body would wait forever, because Node reports the end of a request only until the response.
    this.response.once('close', () => this.request.destroy());
    if (this.endDiscarding) this.endDiscarding();
    else this.fail(error);
  }

  private writeHead(status: number, headers: ResponseHeaders, isLast: boolean): void {
    this.response.writeHead(status, {
      ...ALWAYS,
      'x-amz-request-id': this.id,
      ...headers,
      ...(isLast && { connection: 'close' }),
    });
  }

  /** Tells whether too much of the request is outstanding to wait for it. */
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
