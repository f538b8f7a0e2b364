/** What a server and its spawner say to each other. */

/** What a process gets as the open file of one number. */
export type GivenFile =
  | 'ignore'
  /** A socket whose other end the server gets. */
  | 'handed'
  /** A pipe of which the server is told what comes first; who waits for its release reads a line of it. */
  | 'told'
  | { readonly open: string; readonly flags: number; readonly mode?: number }
  /** To be read to its end: what the process is released with. */
  | 'text';

export interface ProcessPlan {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** By their numbers; at most one of them is handed, at most one told, and at most one text. */
  readonly files: readonly GivenFile[];
  /** After so many the server is told. */
  readonly toldLines: number;
  /** It goes on when the spawner ends; by itself only: others have to see to it that they do not. */
  readonly outlives: boolean;
  /** Released as soon as it is started. */
  readonly release?: string;
}

/** What it reads as `text`; and it goes on. */
export interface ReleaseRequest {
  readonly kind: 'release';
  readonly id: number;
  readonly text: string;
}

export type StartRequest = ProcessPlan & { readonly kind: 'start'; readonly id: number };
export type SpawnerRequest = StartRequest | ReleaseRequest;

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
