/** One connection to another server, which carries one request at a time. */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { atTurnEnd } from '../turn-end.ts';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader, type AnswerTaker } from './answer-reader.ts';
import { toOutboundError } from './outbound-error.ts';
import type { RequestBytes } from './request-bytes.ts';

export interface ExchangeTaker extends AnswerTaker {
  /** The connection is gone with it. @param isSent whether the request was. @param hasBegun whether anything was answered */
  onBreak(error: Error, isSent: boolean, hasBegun: boolean): void;
}

const ALIVE_AFTER_MS = 60_000;

export class Connection implements AnswerTaker {
  /** Whether an answer has come on it before. */
  isUsed = false;
  /** How long a packet took there and back, when it was made. */
  roundTripMs = 0;
  /** Until when it may be used again; moments of `performance.now()`. */
  idleUntil = 0;
  readonly #socket: Socket;
  readonly #isSecure: boolean;
  readonly #gone: (connection: Connection) => void;
  #unsent: RequestBytes | undefined;
  #reader: AnswerReader | undefined;
  #taker: ExchangeTaker | undefined;
  #hasBegun = false;
  #error: Error | undefined;

  /** @param gone is told once, when it can be used no more. @param lookup is asked for the addresses of a name */
  constructor(origin: string, lookup: LookupFunction, gone: (connection: Connection) => void) {
    const { protocol, hostname, port } = new URL(origin);
    const host = hostname.replace(/^\[|\]$/g, '');
    this.#isSecure = protocol === 'https:';
    this.#gone = gone;
    const to = { host, lookup, noDelay: true, keepAlive: true, keepAliveInitialDelay: ALIVE_AFTER_MS };
    this.#socket = this.#isSecure
      ? connectTls({
          ...to,
          port: Number(port || 443),
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 && { servername: host }),
        })
      : connect({ ...to, port: Number(port || 80) });
    let began = performance.now();
    this.#socket
      .once('lookup', () => {
        began = performance.now();
      })
      .once('connect', () => {
        this.roundTripMs = performance.now() - began;
      })
      .on('data', (piece) => this.#feed(piece))
      .on('end', () => this.#finish())
      .on('error', (error) => {
        this.#error ??= error;
      })
      .once('close', () => this.#close());
  }

  /** Called when it is made, where it is not yet. */
  whenConnected(done: () => void): void {
    this.#socket.once(this.#isSecure ? 'secureConnect' : 'connect', done);
  }

  /** What has come on it before it was asked for anything, or that it is closing, has made it unusable. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readable && this.#socket.writable;
  }

  send(bytes: RequestBytes, method: string, taker: ExchangeTaker): void {
    this.#hasBegun = false;
    this.#taker = taker;
    this.#reader = new AnswerReader(method, this);
    this.#unsent = bytes;
    // Together with all others of this turn: the first write wakes who sleeps, which takes longer than to write.
    atTurnEnd(this.#write);
  }

  readonly #write = (): void => {
    const bytes = this.#unsent;
    if (bytes === undefined || this.#socket.destroyed) return;
    this.#unsent = undefined;
    this.#socket.write(bytes, 'latin1');
  };

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Whoever takes the answer is told nothing more. */
  destroy(): void {
    this.#taker = undefined;
    this.#socket.destroy();
    this.#gone(this);
  }

  /** Whoever takes the answer is told why there will be none. */
  break(error: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
    this.#gone(this);
  }

  #feed(piece: Buffer): void {
    // Nobody has asked, or not been heard yet: whatever this is, it is no answer.
    if (!this.#reader || !this.#taker || this.#unsent !== undefined) return void this.#socket.destroy();
    this.#hasBegun = true;
    try {
      this.#reader.feed(piece);
    } catch (error) {
      this.#error = toOutboundError(error, true);
      this.#socket.destroy();
    }
  }

  onHead(head: AnswerHead): void {
    this.#taker?.onHead(head);
  }

  onData(piece: Buffer): void {
    this.#taker?.onData(piece);
  }

  onEnd(keptForMs: number): void {
    const taker = this.#taker;
    this.#taker = undefined;
    this.#reader = undefined;
    // An answer that came before all was sent that it is to.
    const isSent = this.#unsent === undefined && this.#socket.writableLength === 0;
    if (keptForMs === 0 || !isSent) this.destroy();
    else if (this.#socket.isPaused()) this.#socket.resume();
    taker?.onEnd(isSent && this.isOpen ? keptForMs : 0);
  }

  #finish(): void {
    try {
      this.#reader?.finish();
    } catch (error) {
      this.#error ??= toOutboundError(error);
    }
    this.#socket.destroy();
  }

  #close(): void {
    const taker = this.#taker;
    this.#taker = undefined;
    this.#gone(this);
    taker?.onBreak(this.#error ?? brokenOff(), this.#unsent === undefined, this.#hasBegun);
  }
}

const brokenOff = () => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' });
