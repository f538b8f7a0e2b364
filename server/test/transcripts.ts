/** Operations on a session and its transcript through the API. */
import { expect } from 'vitest';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { Client } from './harness.ts';

export const SESSIONS = '/org/main/ws/main/sessions';

/** Saves a session as the client's user. */
export async function saveSession(client: Client, more: object = {}) {
  const id = uuidv7();
  const saved = await client.post(SESSIONS, { id, model: 'acme/large', ...more });
  expect(saved.status).toBe(201);
  const path = `${SESSIONS}/${id}`;
  return {
    id,
    path,
    append: (messages: readonly object[], context?: object) =>
      client.post(`${path}/transcript`, { messages, context }),
    read: (query = '') => client.get(`${path}/transcript?${query}`),
    readAll: (query = '') => client.get(`${path}/transcript?limit=500&include_compacted=true&${query}`),
    compact: (up_to_seq: number, summary: object = { role: 'user', content: 'In short' }) =>
      client.post(`${path}/transcript/compact`, { up_to_seq, summary }),
    rewind: (from_seq: number) => client.post(`${path}/rewind`, { from_seq }),
  };
}

export const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more });
export const assistant = (content: string, more: object = {}) => ({ role: 'assistant', content, ...more });

/** Creates as many messages as requested, with different contents. */
export const numbered = (count: number, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => user(`${prefix}${index + 1}`));
