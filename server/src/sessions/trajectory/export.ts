/** Exports a whole session as one document, which is written while the session is read. */
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
