/** Receives spans from every OpenTelemetry SDK and collector. */
import { ApiError } from '../../platform/errors.ts';
import { BYTES, orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { contentEncodingOf, mediaTypeOf } from '../../platform/http/requests/uploads.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { encodeResponse } from '../otlp/response.ts';
import type { Hold } from './body-budget.ts';
import { ExportTraceAnswer, ExportTraceRequest } from './schema.ts';
import type { SpanIngest } from './span-ingest.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const ENCODINGS = ['gzip', 'deflate', 'zstd', 'none'];
const TYPES = {
  'application/x-protobuf': BYTES,
  'application/protobuf': BYTES,
  'application/json': ExportTraceRequest,
};
const ANSWER_TYPES = { ...TYPES, 'application/json': ExportTraceAnswer };

export function ingestRoutes(ingest: SpanIngest): RouteGroup {
  const { bodies } = ingest;
  return orgRoutes('Traces', (on) => {
    on.post(
      '/otel/traces',
      {
        id: 'pushTraces',
        summary: 'Send spans',
        description:
          'OTLP over HTTP, in protobuf or JSON, answered in the same; also at `/org/{org}/otel/v1/traces`, where exporters expect it. At most 16 MiB, and 128 MiB unpacked. A span belongs to the workspace and the project that its resource names as `drydock.workspace` and `drydock.project` (id or key), else to the workspace of the API key, else to the default one. A span that is sent again is stored once; one with the ids and the start of a span that another user or workspace has stored is not stored. Spans that cannot be stored are counted in `partialSuccess`; all others are stored for good when the answer comes.',
        scope: 'traces:write',
        role: 'member',
        compatibility: { alias: '/otel/v1/traces', isRetriedOn429: true },
        rateClass: 'ingest',
        isBulk: true,
        upload: {
          contentTypes: TYPES,
          contentEncodings: ENCODINGS,
          maxBytes: MAX_BODY_BYTES,
          isBrief: true,
        },
        returns: { oneOf: ANSWER_TYPES },
        admit: (request, reply, { organizationId }) => bodies.admit(request, reply, organizationId),
      },
      ({ request, upload, stillAllowed }) =>
        bodies.during(request, async (hold) => {
          const contentType = mediaTypeOf(request.headers);
          if (contentType === '') throw noBody();
          const body = await collect(upload as AsyncIterable<Buffer>, hold);
          // Checks permissions again, since the body may have taken a minute to arrive.
          const scope = await stillAllowed();
          const contentEncoding = contentEncodingOf(request.headers);
          const isWanted = () => !request.raw.socket.destroyed;
          const rejections = await ingest.take(scope, { body, contentType, contentEncoding }, isWanted);
          return Reply.bytes(contentType, encodeResponse(contentType, rejections.refused));
        }),
    );
  });
}

const noBody = () =>
  new ApiError('invalid_error', 'The request has no body; send spans, with their Content-Type.');

/** Collects the body in memory of its own, which can be transferred to another thread. */
async function collect(upload: AsyncIterable<Buffer>, hold: Hold): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of upload) {
    pieces.push(piece);
    length += piece.length;
    const refusal = hold.fill(length);
    if (refusal) throw refusal;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}
