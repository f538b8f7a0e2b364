/** What a server and its spawner say to each other. */

/** What a process gets as the open file of one number. */
export type GivenFile =
  | 'ignore'
  /** A socket whose other end the server gets. */
  | 'handed'
  /** A pipe of which the server is told what comes first. */
  | 'told'
  | { readonly open: string; readonly flags: number; readonly mode?: number }
  /** To be read to its end. */
  | { readonly text: string };

export interface ProcessPlan {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** By their numbers; at most one of them is handed, and at most one told. */
  readonly files: readonly GivenFile[];
  /** After so many the server is told. */
  readonly toldLines: number;
  /** It goes on when the spawner ends; by itself only: others have to see to it that they do not. */
  readonly outlives: boolean;
}

export type SpawnRequest = ProcessPlan & { readonly id: number };

/** Of one process: either that it was refused, or that it started, which comes first, and later once each what it told and its end. */
export type SpawnerNews = { readonly id: number } & (
  | { readonly kind: 'refused'; readonly code: string | undefined; readonly message: string }
  | { readonly kind: 'started'; readonly pid: number; readonly start: number }
  | { readonly kind: 'told'; readonly text: string }
  | ({ readonly kind: 'ended' } & ProcessEnd)
);

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}
