/** Detects the format of an imported document. */
import { z } from 'zod';
import { invalidValue } from '../../platform/errors.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { isJsonObject } from '../trajectory/atif-schema.ts';
import { readAtif } from './atif.ts';
import type { ImportedSession } from './imported-session.ts';
import { readOpenai } from './openai.ts';

const MAX_MESSAGES = 200_000;

const TEXT = { type: 'string' };
const CHAT = {
  type: 'object',
  properties: { role: { enum: ['system', 'user', 'assistant'] }, content: TEXT },
  required: ['role', 'content'],
};

/** Rough outlines: the content is validated once the format is known. */
const OUTLINES = [
  {
    type: 'object',
    description: 'ATIF 1.0 to 1.7',
    properties: {
      schema_version: { enum: ['ATIF-v1.7'] },
      agent: {
        type: 'object',
        properties: { name: TEXT, version: TEXT, model_name: TEXT },
        required: ['name', 'version'],
      },
      steps: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            step_id: { type: 'integer', minimum: 1 },
            source: { enum: ['system', 'user', 'agent'] },
            message: TEXT,
          },
          required: ['step_id', 'source', 'message'],
        },
      },
    },
    required: ['agent', 'steps'],
  },
  {
    type: 'object',
    description: 'Messages of Chat Completions, and what belongs to them',
    properties: { messages: { type: 'array', items: CHAT } },
    required: ['messages'],
  },
  { type: 'array', description: 'The messages alone', items: CHAT },
  { type: 'object', description: 'A document as it was exported', additionalProperties: {} },
];

/** Characters that PostgreSQL cannot store are replaced, because tools print anything. */
export const SessionImportRequest = z
  .unknown()
  .transform((document) => toStorable(document))
  .meta({
    id: 'SessionImportRequest',
    description: 'A document in ATIF or in the form of Chat Completions',
    anyOf: OUTLINES,
  });

export async function readDocument(document: unknown): Promise<ImportedSession> {
  const session = await readFormat(document);
  if (session.messages.length <= MAX_MESSAGES) return session;
  const msg = `must hold at most ${MAX_MESSAGES} messages, and holds ${session.messages.length}`;
  throw invalidValue(['body'], msg);
}

async function readFormat(document: unknown): Promise<ImportedSession> {
  if (isJsonObject(document) && ('steps' in document || isAtif(document['schema_version']))) {
    return readAtif(document);
  }
  if (Array.isArray(document) || (isJsonObject(document) && 'messages' in document))
    return readOpenai(document);
  const msg =
    'must be a document of ATIF 1.0 to 1.7, which has "steps", or of Chat Completions: an object with "messages", or the list of messages alone';
  throw invalidValue(['body'], msg);
}

const isAtif = (version: unknown) => typeof version === 'string' && version.startsWith('ATIF');
