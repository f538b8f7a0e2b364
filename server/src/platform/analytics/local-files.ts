/** Resources of a process for files: a folder, cached copies of objects, and turns. */

import { FairSemaphore } from '../admission/fair-semaphore.ts';
import { type Content, LocalCopies } from './local-copies.ts';
import { WorkFolder } from './work-folder.ts';

export interface LocalFiles {
  readonly work: WorkFolder;
  readonly copies: LocalCopies;
  readonly turns: Readonly<Record<Purpose, FairSemaphore>>;
  readonly close: () => Promise<void>;
}

/** Separate turns: a preview waits for no conversion, and a query for no export being checked. */
export type Purpose = 'inspect' | 'convert' | 'rows' | 'sql' | 'check';

/** Maximum wait for a turn: a caller waiting for rows should retry instead. */
const MAX_WAIT_MS: Partial<Record<Purpose, number>> = { rows: 60_000 };

export const openLocalFiles = async () => createLocalFiles(await WorkFolder.open());

export function createLocalFiles(work: WorkFolder): LocalFiles {
  const turns = {
    inspect: new FairSemaphore(2),
    convert: new FairSemaphore(3),
    rows: new FairSemaphore(4),
    sql: new FairSemaphore(4, { maxPerOwner: 2, busy: 'Too many queries are running.' }),
    // A statement that takes long to plan blocks only its own organization.
    check: new FairSemaphore(2, { maxPerOwner: 1, busy: 'Too many exports are being made.' }),
  };
  return { work, copies: new LocalCopies({ work }), turns, close: () => work.close() };
}

export interface Use {
  readonly purpose: Purpose;
  /** Organization that takes the turn, which need not own the content. */
  readonly by: string;
  readonly content: Content;
  readonly signal: AbortSignal;
}

/** Takes the turn first, so that waiting callers use no disk space. */
export function withCopy<Result>(
  { copies, turns }: Pick<LocalFiles, 'copies' | 'turns'>,
  { purpose, by, content, signal }: Use,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const turn = { owner: by, signal, maxWaitMs: MAX_WAIT_MS[purpose] };
  return turns[purpose].take(turn, () => copies.with(content, turn, use));
}
