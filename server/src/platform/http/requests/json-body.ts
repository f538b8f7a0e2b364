/** Parses JSON bodies: strict UTF-8, limited depth, and `invalid_error` for everything else. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.ts';
import { depthOf, parseExactly } from '../../json.ts';

export const BODY_DEPTH = 64;

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isVerbatim?: true;
  }
}

const invalid = (detail: string, cause?: unknown) => new ApiError('invalid_error', detail, { cause });

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      done(null, parseJsonBody(request, body));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    const isPlain = encoding === undefined || encoding === 'identity';
    const { upload } = request.routeOptions.config;
    const isTaken = isPlain || upload?.contentEncodings !== undefined; // an upload's encoding was checked before
    done(isTaken ? null : invalid(`Content-Encoding "${encoding}" is not supported here.`), payload);
  });
}

function parseJsonBody(request: FastifyRequest, body: Buffer): unknown {
  const type = request.headers['content-type'] ?? '';
  const charset = type === 'application/json' ? undefined : /charset="?([^";\s]+)/i.exec(type)?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw invalid(`Send JSON in UTF-8, not in ${charset}.`);
  if (body.length === 0) return undefined;
  const text = decode(body);
  if (depthOf(text) > BODY_DEPTH) throw invalid(`The JSON is nested deeper than ${BODY_DEPTH} levels.`);
  try {
    return request.routeOptions.config.isVerbatim ? parseExactly(text) : JSON.parse(text);
  } catch (cause) {
    throw invalid(`The body is not valid JSON${describeSyntaxError(cause)}.`, cause);
  }
}

/** V8's message contains a position or a character, which are kept without the quoted content. */
function describeSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  if (line !== undefined) return `: see line ${line}, column ${column}`;
  const [, character] = /^Unexpected token '(.+?)'/su.exec(message) ?? [];
  if (character !== undefined) return `: ${JSON.stringify(character)} is not expected where it stands`;
  return message.includes('end of JSON input') ? ': it ends too early' : '';
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch (cause) {
    throw invalid('The body is not valid UTF-8.', cause);
  }
}
