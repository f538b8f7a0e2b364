/** Routes of the two ways to publish a version: as one bundle, or file by file. */
import type { FastifyRequest } from 'fastify';
import { BYTES, orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { DETAILS } from '../artifacts/schema.ts';
import { getVersion } from '../artifacts/store.ts';
import { MANIFEST_FILES, PLURALS, titleOf } from '../kinds.ts';
import type { ManifestReader } from '../manifests/read-manifest.ts';
import { completeUpload } from './complete-upload.ts';
import { type PublishOptions, publishBundle } from './publish-bundle.ts';
import { ArtifactUpload, ArtifactUploadRequest, CompleteUploadRequest, publishParams } from './schema.ts';
import { createUpload } from './uploads.ts';

const MAX_BUNDLE_BYTES = 2 ** 30;
/** Enough for ten thousand files with the longest paths. */
const MAX_REQUEST_BYTES = 32 * 2 ** 20;

export interface PublishRoutesOptions extends PublishOptions {
  readonly kinds: readonly ManifestReader[];
}

export function publishRoutes({ kinds, ...options }: PublishRoutesOptions): RouteGroup[] {
  return kinds.map((reader) => publishRoutesOf(options, reader));
}

function publishRoutesOf(options: PublishOptions, reader: ManifestReader): RouteGroup {
  const { kind } = reader;
  const [title, plural] = [titleOf(kind), PLURALS[kind]];
  const place = `/${plural}/:name/:version`;
  const common = { scope: `${plural}:write`, role: 'member', params: publishParams } as const;
  const published = { ...common, response: DETAILS[kind], status: '201 or 200' } as const;
  return orgRoutes(titleOf(plural), (on) => {
    on.put(
      place,
      {
        ...published,
        id: `publish${title}`,
        summary: `Publish a version of a ${kind}`,
        description: `The body is a tar.gz of at most 1 GiB with \`${MANIFEST_FILES[kind]}\` at its root. A version never changes: the same content again gets a 200, other content a 409.`,
        upload: { contentTypes: { 'application/gzip': BYTES }, maxBytes: MAX_BUNDLE_BYTES },
      },
      async ({ scope, params, upload, stillAllowed, request, ignore }) => {
        const isNew = await whileConnected(request, (signal) =>
          publishBundle(options, reader, { scope, as: params, bundle: upload, stillAllowed, signal }),
        );
        const response = await getVersion(options.db, scope, kind, params.name, params.version);
        ignore(reader.findIgnored(response.manifest));
        return isNew ? response : Reply.existing(response);
      },
    );

    on.post(
      `${place}/uploads`,
      {
        ...common,
        id: `create${title}Upload`,
        summary: `Announce the files of a version of a ${kind}`,
        description:
          'Responds with a link for each file that the organization does not have yet. Send each with PUT, then complete the upload.',
        body: ArtifactUploadRequest,
        largeBody: { maxBytes: MAX_REQUEST_BYTES },
        response: ArtifactUpload,
        status: 201,
      },
      ({ scope, params, body }) => createUpload(options, reader, scope, params, body),
    );

    on.post(
      `${place}/complete`,
      {
        ...published,
        id: `complete${title}Upload`,
        summary: `Publish a version of a ${kind} from its uploaded files`,
        description: 'Sizes and digests are verified first; with one that is wrong nothing is published.',
        body: CompleteUploadRequest,
        long: true,
      },
      async ({ scope, params, body, stillAllowed, request, ignore }) => {
        const uploadId = body?.upload_id ?? undefined;
        const isNew = await whileConnected(request, (signal) =>
          completeUpload(options, reader, { scope, as: params, uploadId, stillAllowed, signal }),
        );
        const response = await getVersion(options.db, scope, kind, params.name, params.version);
        ignore(reader.findIgnored(response.manifest));
        return isNew ? response : Reply.existing(response);
      },
    );
  });
}

/** Runs with a signal that aborts when the client disconnects. */
async function whileConnected<T>(
  { raw: { socket } }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  socket.once('close', leave);
  try {
    return await work(leaving.signal);
  } finally {
    socket.off('close', leave);
  }
}
