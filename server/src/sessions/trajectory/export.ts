/** The whole of a session as one document, written while it is read: for whatever operation hands it out. */
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../visibility.ts';
import { writeAtif } from './atif.ts';
import { writeNative } from './native.ts';
import { writeOpenai } from './openai.ts';
import { getTrajectorySource } from './source.ts';
import { readTurns, type TurnOptions } from './turns.ts';

export const FORMATS = ['atif', 'openai', 'native'] as const;

export interface ExportOptions extends TurnOptions {
  readonly format: (typeof FORMATS)[number];
}

/** Fails as long as nothing was written; in the middle it breaks off. @param given an id, or a prefix of one */
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
