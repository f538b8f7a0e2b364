/** A target behind an HTTP API, called through the guarded client: private addresses are refused unless the server allows them. */
import { openSecretsByName } from '../../../accounts/service.ts';
import { OutboundError } from '../../../platform/net/outbound-error.ts';
import { type HttpTargetOf, SECRET_REFERENCE } from '../../assessments/target-config.ts';
import { creatorScope, type FindingContext } from '../context.ts';
import type { MadeCall } from '../journal.ts';
import type { SentProbe, Target } from './target.ts';

const DEFAULT_TEMPLATE = '{"prompt": "{{prompt}}"}';
const DEFAULT_TIMEOUT_SECONDS = 60;
const CONNECT_MS = 10_000;
const MAX_RESPONSE_BYTES = 262_144;
const SHOWN_CHARACTERS = 200;

export function httpTarget(context: FindingContext, config: HttpTargetOf): Target {
  return {
    send: async (probe) => {
      // The secrets are the creator's, so they are used only while that user has the rights.
      await creatorScope(context);
      const result = await send(context, config, probe).catch((error: unknown) => {
        context.signal.throwIfAborted();
        if (isTimeout(error))
          return failed('The target could not be asked: it took longer than timeout_seconds.');
        if (!(error instanceof OutboundError || error instanceof TargetError)) throw error;
        return failed(`The target could not be asked: ${error.message}`);
      });
      return { ...result, details: null };
    },
  };
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

/** The target's response cannot be used. */
class TargetError extends Error {}

const failed = (error: string): MadeCall => ({ response: null, error, details: null, costUsd: 0 });

async function send(context: FindingContext, config: HttpTargetOf, probe: SentProbe): Promise<MadeCall> {
  const { tools, signal } = context;
  const limit = (config.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
  const hasBody = config.method !== 'GET';
  const url = new URL(hasBody ? config.url : fill(config.url, probe, encodeURIComponent));
  const template = config.body_template ?? DEFAULT_TEMPLATE;
  const secrets = await openSecrets(context, [...Object.values(config.headers ?? {}), template]);
  const headers = fillHeaders(config.headers ?? {}, secrets);
  const deadline = AbortSignal.timeout(limit);
  const response = await tools.targets.send({
    url,
    method: config.method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/plain',
      ...headers,
      // Connections are not shared: what one target does to its connection must not reach another request.
      connection: 'close',
    },
    body: hasBody ? fill(fillSecrets(template, secrets, toJsonText), probe, toJsonText) : undefined,
    timeouts: { connect: CONNECT_MS, firstByte: limit, idle: limit },
    signal: AbortSignal.any([signal, deadline]),
  });
  // A target may repeat what it was sent, and secrets must not be stored with trials.
  const body = mask(await readText(response.body), secrets.values());
  if (response.status >= 300) {
    const why = response.status < 400 ? 'Redirects are not followed.' : body.slice(0, SHOWN_CHARACTERS);
    return failed(`The target answered ${response.status}: ${why}`);
  }
  const text = mask(readAt(body, config.response_path ?? null), secrets.values());
  return { response: text, error: null, details: null, costUsd: 0 };
}

const toJsonText = (text: string) => JSON.stringify(text).slice(1, -1);

/** Fills in `{{prompt}}`, and `{{messages}}`, with or without quotes around it, with the whole conversation as JSON. */
function fill(
  template: string,
  { prompt, history = [] }: SentProbe,
  escape: (text: string) => string,
): string {
  const text = prompt.toWellFormed();
  const messages = JSON.stringify([...history, { role: 'user', content: text }]);
  return template.replaceAll(
    /"\{\{\s*messages\s*\}\}"|\{\{\s*(prompt|messages)\s*\}\}/g,
    (_, name?: string) => (name === 'prompt' ? escape(text) : messages),
  );
}

function openSecrets(
  { tools, assessment }: FindingContext,
  texts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = texts.flatMap((text) => [...text.matchAll(SECRET_REFERENCE)].map(([, name = '']) => name));
  return openSecretsByName(tools.db, tools.vault, assessment.created_by, names);
}

function fillHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), fillSecrets(value, secrets)]),
  );
}

/** @throws {TargetError} for a secret that there is none of */
function fillSecrets(
  text: string,
  secrets: ReadonlyMap<string, string>,
  escape = (secret: string) => secret,
): string {
  return text.replaceAll(SECRET_REFERENCE, (_, name: string) => {
    const secret = secrets.get(name);
    if (secret === undefined)
      throw new TargetError(`there is no secret "${name}" of the user who created the assessment.`);
    return escape(secret);
  });
}

function mask(text: string, secrets: Iterable<string>): string {
  let masked = text;
  for (const secret of secrets) if (secret !== '') masked = masked.replaceAll(secret, '[secret]');
  return masked;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES)
      throw new TargetError(`its response has more than ${MAX_RESPONSE_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @param path such as `choices.0.message.content`, with or without `$.` and with `[0]` for indexes; null for the whole body */
function readAt(body: string, path: string | null): string {
  if (path === null || path === '' || path === '$') return body;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new TargetError(
      `response_path "${path}" needs JSON, and the target answered: ${body.slice(0, SHOWN_CHARACTERS)}`,
    );
  }
  const parts = path
    .replace(/^\$\.?/, '')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((part) => part !== '');
  for (const part of parts) {
    const holder = value;
    value =
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, part)
        ? (holder as Record<string, unknown>)[part]
        : undefined;
  }
  if (value === undefined || value === null)
    throw new TargetError(`response_path "${path}" finds nothing in: ${body.slice(0, SHOWN_CHARACTERS)}`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
