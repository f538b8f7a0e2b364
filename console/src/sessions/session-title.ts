import type { SessionResponse } from '@drydock/sdk';

/** The title of a session. A session without one is called by its first message, or else by its ID. */
export const titleOf = ({
  title,
  preview_text,
  id,
}: Pick<SessionResponse, 'title' | 'preview_text' | 'id'>): string =>
  title || preview_text || `Session ${id.slice(0, 8)}`;
