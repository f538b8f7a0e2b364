import { ApiError } from '../../platform/errors.ts';
import type { Exec } from '../../platform/sandbox/files/files.ts';
import type { Running } from '../exec/running.ts';
import type { RuntimeOperator } from '../operator.ts';

/** Implements file operations as commands in the sandbox of a runtime that has a /workspace. */
export function openFiles(
  operator: Pick<RuntimeOperator, 'exec'>,
  { target, hasWorkspace, place }: Running,
): Exec {
  if (!hasWorkspace) {
    const detail = 'This runtime has no /workspace; set sandbox.workspace_mount, and start it again.';
    throw new ApiError('conflict_error', detail);
  }
  return (command) => operator.exec(target, command, place);
}
