/** What is attacked: a model, a service with an HTTP API, or an agent in a sandbox. */
import type { Probe } from '../../../platform/red-team/ports.ts';
import type { AgentActionsOf } from '../../schema.ts';
import type { MadeCall } from '../journal.ts';

/** A probe after its transforms, with its numbers in the run. */
export interface SentProbe extends Omit<Probe, 'candidate' | 'transforms'> {
  readonly prompt: string;
  readonly trialIndex: number;
  /** The number of the call in the journal. */
  readonly seq: number;
}

/** What targets report besides their response; stored with the call. */
export interface TargetDetails {
  readonly sessionId: string | null;
  readonly actions: AgentActionsOf | null;
}

export interface Target {
  send(probe: SentProbe): Promise<MadeCall & { readonly details: TargetDetails | null }>;
}
