import { ApiError } from '../../platform/errors.ts';

/**
 * The sandbox has ended and cannot come back: its host died, somebody ended it, its time was up, or its lease lapsed. The work can
 * only be done over in a new one.
 */
export class SandboxGone extends ApiError {
  readonly sandboxId: string;

  constructor(sandboxId: string, reason: string) {
    super('sandbox_provider_error', `Sandbox ${sandboxId} is gone. ${reason}`);
    this.sandboxId = sandboxId;
  }
}
