/** Files of a running runtime, with the permissions of its user. */
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ANY_TYPE, workspaceRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { deleteFile, listFiles, readFile, writeFile } from '../../platform/sandbox/files/files.ts';
import { getRunning } from '../exec/running.ts';
import type { RuntimeOperator } from '../operator.ts';
import { RuntimeParams } from '../schema.ts';
import { openFiles } from './open-files.ts';
import { DeleteFileQuery, FileQuery, ListFilesQuery, RuntimeFile, RuntimeFileList } from './schema.ts';

const MAX_FILE_BYTES = 1024 ** 3;

const MAY_READ = { scope: 'runtimes:read', role: 'contributor', params: RuntimeParams } as const;
const MAY_CHANGE = { scope: 'runtimes:write', role: 'contributor', params: RuntimeParams } as const;

interface FilesOptions {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'exec'>;
}

export function fileRoutes({ db, operator }: FilesOptions) {
  const enter = async (scope: WorkspaceScope, runtime: string) =>
    openFiles(operator, await getRunning(db, scope, runtime));

  return workspaceRoutes('Runtimes', (on) => {
    on.get(
      '/runtimes/:runtime/files',
      {
        id: 'getRuntimeFile',
        summary: 'Read a file of a runtime',
        ...MAY_READ,
        query: FileQuery,
        returns: 'file',
      },
      async ({ scope, params, query }) => {
        const { stream, size_bytes } = await readFile(await enter(scope, params.runtime), query.path);
        return Reply.file({ name: posix.basename(query.path), stream, sizeBytes: size_bytes });
      },
    );

    on.put(
      '/runtimes/:runtime/files',
      {
        id: 'putRuntimeFile',
        summary: 'Write a file of a runtime',
        description:
          'Takes any bytes, up to 1 GiB. The file is replaced when all of them are there, or not at all.',
        ...MAY_CHANGE,
        query: FileQuery,
        upload: { contentTypes: ANY_TYPE, maxBytes: MAX_FILE_BYTES },
        response: RuntimeFile,
      },
      async ({ scope, params, query, upload, stillAllowed }) => {
        const exec = await enter(scope, params.runtime);
        return writeFile(
          exec,
          query.path,
          Readable.from(thenCheck(upload, stillAllowed), { objectMode: false }),
          {
            maxBytes: MAX_FILE_BYTES,
          },
        );
      },
    );

    on.delete(
      '/runtimes/:runtime/files',
      {
        id: 'deleteRuntimeFile',
        summary: 'Delete a file of a runtime',
        ...MAY_CHANGE,
        query: DeleteFileQuery,
      },
      async ({ scope, params, query }) =>
        deleteFile(await enter(scope, params.runtime), query.path, query.recursive),
    );

    on.get(
      '/runtimes/:runtime/files/list',
      {
        id: 'listRuntimeFiles',
        summary: 'List a folder of a runtime',
        ...MAY_READ,
        query: ListFilesQuery,
        response: RuntimeFileList,
      },
      async ({ scope, params, query }) => {
        const { entries, is_truncated } = await listFiles(await enter(scope, params.runtime), query.path);
        return { entries: [...entries], is_truncated };
      },
    );
  });
}

/** Checks the permission again at the end of an upload, which may take an hour. */
async function* thenCheck(content: Readable, stillAllowed: () => Promise<unknown>): AsyncGenerator<Buffer> {
  yield* content as AsyncIterable<Buffer>;
  await stillAllowed();
}
