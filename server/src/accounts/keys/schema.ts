import { z } from 'zod';
import { RESOURCES, SCOPES } from '../../platform/auth/scopes.ts';
import { DateTime, Id, Name, Timestamp, Uuid } from '../../platform/fields.ts';

// The scopes can be listed; repeating them in every error would bloat the response.
const ScopeName = z.enum(SCOPES, { error: 'is not a scope; see GET /user/api-keys/scopes' });

export const ApiKeyCreateRequest = z
  .object({
    name: Name,
    org_id: Uuid.nullish().describe('Limits the key to this organization'),
    workspace_id: Uuid.nullish().describe('Limits the key to this workspace'),
    allowed_scopes: z
      .array(ScopeName)
      .min(1)
      .max(SCOPES.length)
      .nullish()
      .describe('Omitted: everything its user may do, except for `training:work`, which must be named'),
    expires_at: DateTime.nullish(),
    allow_self_revoke: z.boolean().default(false).describe('Whether the key may end itself'),
  })
  .meta({ id: 'ApiKeyCreateRequest' });

export const ApiKey = z
  .object({
    id: Id,
    masked_key: z.string(),
    name: z.string(),
    active: z.boolean(),
    org_id: Id.nullable(),
    workspace_id: Id.nullable(),
    allowed_scopes: z.array(ScopeName).nullable(),
    allow_self_revoke: z.boolean(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeyCreated = ApiKey.extend({ key: z.string().describe('Shown only now') }).meta({
  id: 'ApiKeyCreated',
});

export const ScopeEntry = z
  .object({ resource: z.enum(RESOURCES), actions: z.array(z.string()) })
  .meta({ id: 'ScopeEntry' });

export const keyIdParam = z.object({ id: Uuid });

export type NewApiKey = z.output<typeof ApiKeyCreateRequest>;
