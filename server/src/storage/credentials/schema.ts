import { z } from 'zod';
import { Timestamp } from '../../platform/fields.ts';

export const StorageCredentialsResponse = z
  .object({
    access_key_id: z.string(),
    secret_access_key: z.string(),
    session_token: z.string(),
    bucket: z.string(),
    prefix: z.string().describe('Every key must begin with it; the store refuses all others'),
    region: z.string(),
    endpoint: z.string().nullable().describe('null: the one that an S3 client knows for the region'),
    expiration: Timestamp,
  })
  .meta({ id: 'StorageCredentialsResponse' });
