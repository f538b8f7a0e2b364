/** OpenAI's embeddings operation, for the embedding models of an organization. */
import { ApiError, withHeaders } from '../../platform/errors.ts';
import { orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { toNumber } from '../../platform/json.ts';
import type { Vector } from '../../platform/llm/embedding-model.ts';
import {
  type EmbeddingCall,
  type EmbeddingResult,
  MAX_REQUEST_BYTES,
  type ModelCalls,
} from '../calls/model-calls.ts';
import { callHeaders, readOrigin } from '../chat/respond-to-call.ts';
import { OPENAI_ERRORS } from '../openai-errors.ts';
import type { CallRecorder } from '../recording/call-recorder.ts';
import { EmbeddingList, EmbeddingRequest } from './schema.ts';

export function embeddingRoutes(recorder: CallRecorder, calls: ModelCalls): RouteGroup {
  return orgRoutes(
    'Inference',
    (on) => {
      on.post(
        '/inference/v1/embeddings',
        {
          id: 'createEmbeddings',
          summary: 'Turn texts into vectors',
          description:
            "OpenAI's embeddings, for models of providers of kind openai_compatible and google, and for `sim/embedder`. Fields that are not named here are passed on to providers that speak the same. The call is counted like every other.",
          scope: 'inference:write',
          role: 'member',
          rateClass: 'ingest',
          largeBody: { maxBytes: MAX_REQUEST_BYTES, isVerbatim: true },
          body: EmbeddingRequest,
          returns: { oneOf: { 'application/json': EmbeddingList } },
          watched: true,
          long: true,
          idempotency: false,
        },
        async ({ scope, body, request: { headers }, signal }) => {
          const origin = await readOrigin(recorder, { scope, headers, signal });
          return respondWithEmbeddings(calls, { ...origin, request: body }, body.encoding_format ?? 'float');
        },
      );
    },
    OPENAI_ERRORS,
  );
}

async function respondWithEmbeddings(
  calls: ModelCalls,
  call: EmbeddingCall & { readonly callId: string },
  format: 'float' | 'base64',
): Promise<Reply> {
  const headers = callHeaders(call);
  const share = calls.openShare(call.userId);
  try {
    const result = await calls.embed({ ...call, share });
    const body = JSON.stringify(toList(call.request.model, result, format));
    const sent = share.isEmpty ? undefined : () => share.free();
    return Reply.bytes('application/json; charset=utf-8', body, headers, sent);
  } catch (error) {
    share.free();
    throw error instanceof ApiError ? withHeaders(error, headers) : error;
  }
}

const toList = (model: string, { vectors, usage }: EmbeddingResult, format: 'float' | 'base64') => ({
  object: 'list',
  data: vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encodeVector(vector, format),
  })),
  model,
  usage: { prompt_tokens: usage.inputTokens, total_tokens: usage.inputTokens },
});

const BYTES_PER_NUMBER = 4;

/** Encodes a vector as the client requested, whatever encoding the provider sent. */
function encodeVector(vector: Vector, format: 'float' | 'base64'): Vector {
  if (format === 'base64') return typeof vector === 'string' ? vector : toBase64(vector);
  return typeof vector === 'string' ? fromBase64(vector) : vector;
}

function toBase64(vector: readonly unknown[]): string {
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER);
  for (const [index, value] of vector.entries())
    bytes.writeFloatLE(Number(toNumber(value)), index * BYTES_PER_NUMBER);
  return bytes.toString('base64');
}

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  const count = Math.floor(bytes.length / BYTES_PER_NUMBER);
  return Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * BYTES_PER_NUMBER));
}
