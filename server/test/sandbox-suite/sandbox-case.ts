/** The requirements of every sandbox provider, as data: each case runs as root and as an ordinary user. */
import type { Workbench } from './workbench.ts';

/** Abilities that not every host, user or provider has. `no …`: the case checks that the feature is refused. */
export type Ability =
  | 'pause'
  | 'layer'
  | 'terminal both ways'
  | 'cpu limit'
  | 'memory limit'
  | 'pids limit'
  | 'no cpu limit'
  | 'no memory limit'
  | 'no pids limit';

export interface SandboxCase {
  readonly name: string;
  /** The case is skipped and named if this ability is missing. */
  readonly needs?: Ability;
  readonly run: (bench: Workbench) => Promise<void>;
}

/** The result of a case. */
export interface CaseResult {
  readonly name: string;
  readonly skippedFor?: Ability;
  /** The reason of a failure. */
  readonly failure?: string;
}
