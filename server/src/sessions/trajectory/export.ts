/** Exports a whole session as one document, which is written while the session is read. */
import type { Db } from '../../platform/db/connect.ts';
import type { StoredMessageOf } from '../transcript/schema.ts';
import type { Viewer } from '../visibility.ts';
import { writeAtif } from './atif.ts';
import { writeArray, writeObject } from './json-stream.ts';
import { writeOpenai } from './openai.ts';
import {
  boundaryOf,
  getTrajectorySource,
  readMessagesAfter,
  readPromptsOf,
  type TrajectorySource,
} from './source.ts';
import { readTurns, type TurnOptions } from './turns.ts';

export const FORMATS = ['atif', 'openai', 'native'] as const;

export interface ExportOptions extends TurnOptions {
  readonly format: (typeof FORMATS)[number];
}

/**
 * Throws an error if nothing was written yet; later errors break off the response.
 * @param given id or prefix of the session
 */
export async function exportTrajectory(
  db: Db,
  viewer: Viewer,
  given: string,
  { format, ...options }: ExportOptions,
): Promise<AsyncIterable<string>> {
  const source = await getTrajectorySource(db, viewer, given);
  if (format === 'native') return writeNative(db, source, options);
  const turns = readTurns(db, source, options);
  return format === 'openai' ? writeOpenai(source, turns) : writeAtif(source, turns);
}

/** Leaves out compacted messages: writes those after the last boundary, with the prompts that were in force there. */
function writeNative(
  db: Db,
  source: TrajectorySource,
  { includeCompacted }: TurnOptions,
): AsyncIterable<string> {
  const afterSeq = includeCompacted ? 0 : boundaryOf(source);
  const compactions = source.compactions.map((compaction, index) => ({ era: index + 1, ...compaction }));
  const firstPrompt = source.prompts.findLastIndex(({ from_seq }) => from_seq <= afterSeq + 1);
  return writeObject({
    session: source.session,
    system_prompts: writeArray(readPrompts(db, source, Math.max(firstPrompt, 0))),
    compactions: includeCompacted ? compactions : compactions.slice(-1),
    tools: source.tools ?? [],
    messages: writeArray(readRows(db, source, afterSeq)),
  });
}

async function* readPrompts(db: Db, source: TrajectorySource, first: number) {
  for (const { from_seq } of source.prompts.slice(first)) {
    const contents = await readPromptsOf(db, source, [from_seq]);
    yield { from_seq, content: contents.get(from_seq) };
  }
}

async function* readRows(db: Db, source: TrajectorySource, afterSeq: number): AsyncIterable<StoredMessageOf> {
  for (let last = afterSeq; last < source.lastSeq; ) {
    const messages = await readMessagesAfter(db, source, last);
    yield* messages;
    last = messages.at(-1)?.seq ?? source.lastSeq;
  }
}
