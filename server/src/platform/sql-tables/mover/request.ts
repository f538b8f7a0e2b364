/** What a process is told that moves rows, as the first line of its stdin, and what it says, each time as a line: both JSON. */

export interface MoveRequest {
  readonly url: string;
  /** Where the address has none; undefined where nobody has said one. */
  readonly password: string | undefined;
  readonly statementTimeoutMs: number;
  /** One for each need, in their order. */
  readonly copies: readonly { readonly statement: string; readonly columns: readonly string[] }[];
  readonly pipes: string;
  readonly segments: number;
}

export type MoveAnswer =
  /** Now and then. */
  | { readonly rows: number }
  /** At the end. */
  | { readonly rows: number; readonly isDone: true }
  | {
      readonly failure: {
        readonly message: string;
        readonly code: string | undefined;
        readonly isLongRow: boolean;
      };
    };
