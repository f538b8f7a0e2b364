/** What every provider of sandboxes must do, as data: each case is run as root and as an ordinary user. */
import type { Workbench } from './workbench.ts';

/** What not every host, user or provider has. `no …`: that it is refused is what is checked. */
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
  /** Without it the case is skipped, by name. */
  readonly needs?: Ability;
  readonly run: (bench: Workbench) => Promise<void>;
}

/** What became of one. */
export interface CaseResult {
  readonly name: string;
  readonly skippedFor?: Ability;
  /** Why it failed. */
  readonly failure?: string;
}
