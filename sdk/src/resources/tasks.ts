/** Tasks: instructions for an agent with their verification, published in immutable versions. */
import { Artifacts } from './artifacts.ts';

/**
 * @example
 * ```ts
 * const task = { org: 'main', name: 'say-hello', version: '1.0.0' };
 * const upload = await drydock.tasks.createUpload(task, {
 *   manifest: {
 *     name: 'say-hello',
 *     version: '1.0.0',
 *     instruction: 'Say hello.',
 *     environment: { network: 'none' },
 *     verification: { method: 'contains', expected: 'hello' },
 *   },
 *   files: [],
 * });
 * console.log(upload.files.length); // → 0
 * await drydock.tasks.completeUpload(task);
 * const manifest = await drydock.tasks.getFile({ ...task, path: 'task.yaml' });
 * console.log((await manifest.text()).includes('Say hello.')); // → true
 * ```
 */
export class Tasks extends Artifacts<'Task'> {
  protected override readonly kind = 'Task';
}
