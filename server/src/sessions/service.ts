/** What other domains may ask of sessions: who sees which, and which are gone. */
import * as deletions from './metadata/deletions.ts';
import * as visibility from './visibility.ts';

export type Viewer = visibility.Viewer;

export const isShown = visibility.isShown;

export type SessionDeletion = deletions.SessionDeletion;

export const listDeletions = deletions.listDeletions;
