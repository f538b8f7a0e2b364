import type { FastifyBaseLogger } from 'fastify';

type Write = FastifyBaseLogger['info'];

/** A request's log, whose lines carry its id. It is made when something is written: most requests write nothing. */
export class RequestLog implements FastifyBaseLogger {
  private readonly parent: FastifyBaseLogger;
  private readonly bindings: Record<string, unknown>;
  private made: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.parent = parent;
    this.bindings = bindings;
  }

  private get log(): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings);
    return this.made;
  }

  get level(): FastifyBaseLogger['level'] {
    return this.parent.level;
  }

  fatal: Write = (...args: [unknown]) => this.log.fatal(...args);
  error: Write = (...args: [unknown]) => this.log.error(...args);
  warn: Write = (...args: [unknown]) => this.log.warn(...args);
  info: Write = (...args: [unknown]) => this.log.info(...args);
  debug: Write = (...args: [unknown]) => this.log.debug(...args);
  trace: Write = (...args: [unknown]) => this.log.trace(...args);
  silent: Write = (...args: [unknown]) => this.log.silent(...args);
  child: FastifyBaseLogger['child'] = (...args) => this.log.child(...args);
}
