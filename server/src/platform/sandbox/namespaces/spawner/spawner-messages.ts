/** Messages between a server and its spawner. */

/** The open file that a process gets under one number. */
export type GivenFile =
  | 'ignore'
  /** A socket whose other end the server gets. */
  | 'handed'
  /** A pipe whose first lines are reported to the server; a process that waits for its release reads one line from it. */
  | 'report'
  | { readonly open: string; readonly flags: number; readonly mode?: number }
  /** A file with the release text, to be read to its end. */
  | 'text';

export interface ProcessPlan {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Open files by number; at most one of them is `handed`, one `report`, and one `text`. */
  readonly files: readonly GivenFile[];
  /** Number of lines after which the server is notified. */
  readonly reportLines: number;
  /**
   * True for a process that survives the end of the spawner. This covers the process itself only; its children have to arrange the same.
   */
  readonly outlives: boolean;
  /** Text that releases the process as soon as it is started. */
  readonly release?: string;
}

/** Provides the `text` file and lets the process continue. */
export interface ReleaseRequest {
  readonly kind: 'release';
  readonly id: number;
  readonly text: string;
}

export type StartRequest = ProcessPlan & { readonly kind: 'start'; readonly id: number };
export type SpawnerRequest = StartRequest | ReleaseRequest;

/** Events of one process: refused, or started, which comes first, and later once each its report and its end. */
export type SpawnerNews = { readonly id: number } & (
  | { readonly kind: 'refused'; readonly code: string | undefined; readonly message: string }
  | { readonly kind: 'started'; readonly pid: number; readonly start: number }
  | { readonly kind: 'report'; readonly text: string }
  | ({ readonly kind: 'ended' } & ProcessEnd)
);

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}
