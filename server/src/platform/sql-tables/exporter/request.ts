/** Messages of the row exporter: its request is the first line of stdin, its responses are lines of stdout, all JSON. */

export interface MoveRequest {
  readonly url: string;
  /** Password when the URL has none; undefined when none is set. */
  readonly password: string | undefined;
  readonly statementTimeoutMs: number;
  /** One per need, in their order. */
  readonly copies: readonly { readonly statement: string; readonly columns: readonly string[] }[];
  readonly pipes: string;
  readonly segments: number;
}

export type MoveResult =
  /** Sent now and then. */
  | { readonly rows: number }
  /** Sent at the end. */
  | { readonly rows: number; readonly isDone: true }
  | {
      readonly failure: {
        readonly message: string;
        readonly code: string | undefined;
        readonly isLongRow: boolean;
      };
    };
