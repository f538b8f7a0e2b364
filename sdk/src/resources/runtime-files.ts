/** Files of a running runtime, below its /workspace. */
import type { RuntimeFile, RuntimeFileList } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { Bytes } from '../request-body.ts';
import { type OneRuntime, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const { key } = await drydock.runtimes.create(where, { name: 'With files' });
 * const runtime = { ...where, runtime: key };
 * await drydock.runtimes.start(runtime);
 *
 * const bytes = new TextEncoder().encode('hello\n'); // a Blob and a ReadableStream will do as well
 * const file = await drydock.runtimeFiles.put(runtime, { path: 'notes/hello.txt' }, bytes);
 * console.log(file.path, file.size_bytes); // → notes/hello.txt 6
 *
 * const { entries } = await drydock.runtimeFiles.list(runtime, { path: 'notes' });
 * console.log(entries.map(({ name }) => name)); // → [ 'hello.txt' ]
 *
 * const content = await drydock.runtimeFiles.get(runtime, { path: 'notes/hello.txt' }); // .body is a stream
 * console.log((await content.arrayBuffer()).byteLength); // → 6
 * await drydock.runtimes.delete(runtime);
 * ```
 */
export class RuntimeFiles extends Resource {
  /** Returns the content of a file. */
  get(where: OneRuntime, query: QueryOf<'getRuntimeFile'>, options?: CallOptions): Promise<Response> {
    return this.client.file('getRuntimeFile', { path: where, query }, options);
  }

  /** Writes a file completely or not at all. */
  put(
    where: OneRuntime,
    query: QueryOf<'putRuntimeFile'>,
    content: Bytes,
    options?: CallOptions,
  ): Promise<RuntimeFile> {
    return this.client.call('putRuntimeFile', { path: where, query, body: content }, options);
  }

  /** Deletes a file, or with `recursive` a folder and its contents. */
  delete(where: OneRuntime, query: QueryOf<'deleteRuntimeFile'>, options?: CallOptions): Promise<void> {
    return this.client.call('deleteRuntimeFile', { path: where, query }, options);
  }

  /** Lists a folder, by default /workspace itself. */
  list(
    where: OneRuntime,
    query?: QueryOf<'listRuntimeFiles'>,
    options?: CallOptions,
  ): Promise<RuntimeFileList> {
    return this.client.call('listRuntimeFiles', { path: where, ...(query && { query }) }, options);
  }
}
