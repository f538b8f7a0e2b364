import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { readStored, STORED_KINDS } from '../../platform/storage-limits/quotas.ts';

const StorageUsage = z
  .object({
    items: z.array(
      z.object({
        kind: z.enum(STORED_KINDS),
        used_bytes: z.int(),
        limit_bytes: z.int().nullable().describe('null: as much as there is room for'),
      }),
    ),
  })
  .meta({ id: 'StorageUsage' });

export function storageUsageRoutes(db: Db) {
  return orgRoutes('Usage', (on) => {
    on.get(
      '/usage/storage',
      {
        id: 'getStorageUsage',
        summary: 'Get what the organization stores, and its quotas',
        description:
          'Objects (with exports and the parts of open uploads), the content of artifacts, the disks of runtimes, and spans. What would exceed a quota is refused with 429; deleting always works.',
        scope: 'usage:read',
        role: 'member',
        response: StorageUsage,
      },
      async ({ scope }) => ({ items: await readStored(db, [scope.organizationId]) }),
    );
  });
}
