import { z } from 'zod';
import { Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { pageOf, pageQuery } from '../../platform/http/responses/pages.ts';

const SecretName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'must be the name of an environment variable: letters, digits and underscores',
  );

const SecretValue = z.string().min(1).max(65_536);

export const SecretCreateRequest = z
  .object({ name: SecretName, value: SecretValue })
  .meta({ id: 'SecretCreateRequest' });

export const SecretReplaceRequest = z
  .object({ name: SecretName.optional().describe('Omitted: stays'), value: SecretValue })
  .meta({ id: 'SecretReplaceRequest' });

export const Secret = z
  .object({
    id: Id,
    name: z.string(),
    masked_value: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Secret' });

export const SecretListResponse = pageOf('secrets', Secret).meta({ id: 'SecretListResponse' });

export const secretQuery = z.object(pageQuery({ defaultLimit: 200, maxLimit: 200 }));
export type SecretQuery = z.output<typeof secretQuery>;

export const secretIdParam = z.object({ id: Uuid });
