/** What a process has to work with files: a folder, copies of what lies in the object storage, and turns. */

import { FairSemaphore } from '../admission/fair-semaphore.ts';
import { type Content, LocalCopies } from './local-copies.ts';
import { WorkFolder } from './work-folder.ts';

export interface LocalFiles {
  readonly work: WorkFolder;
  readonly copies: LocalCopies;
  readonly turns: Readonly<Record<Purpose, FairSemaphore>>;
  readonly close: () => Promise<void>;
}

/** A preview waits for no conversion, and a query for no export that is looked at before it is made. */
export type Purpose = 'inspect' | 'convert' | 'rows' | 'sql' | 'check';

/** A caller who waits for rows is told to come back rather than kept. */
const MAX_WAIT_MS: Partial<Record<Purpose, number>> = { rows: 60_000 };

export const openLocalFiles = async () => createLocalFiles(await WorkFolder.open());

export function createLocalFiles(work: WorkFolder): LocalFiles {
  const turns = {
    inspect: new FairSemaphore(2),
    convert: new FairSemaphore(3),
    rows: new FairSemaphore(4),
    sql: new FairSemaphore(4, { maxPerOwner: 2, busy: 'Too many queries are running.' }),
    // A statement that takes long to be planned keeps out nobody but its own organization.
    check: new FairSemaphore(2, { maxPerOwner: 1, busy: 'Too many exports are being made.' }),
  };
  return { work, copies: new LocalCopies({ work }), turns, close: () => work.close() };
}

export interface Use {
  readonly purpose: Purpose;
  /** Whose turn it is, which need not be whose content it is. */
  readonly by: string;
  readonly content: Content;
  readonly signal: AbortSignal;
}

/** The turn comes first: who waits for one takes no room on the disk. */
export function withCopy<Result>(
  { copies, turns }: Pick<LocalFiles, 'copies' | 'turns'>,
  { purpose, by, content, signal }: Use,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const turn = { owner: by, signal, maxWaitMs: MAX_WAIT_MS[purpose] };
  return turns[purpose].take(turn, () => copies.with(content, turn, use));
}
