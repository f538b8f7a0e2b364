import { z } from 'zod';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes, userRoutes } from '../../platform/http/operations.ts';
import { AuditLogPage, auditLogQuery, listAuditLog } from './audit-log.ts';
import type { PlatformLimits } from './runtime-limits.ts';
import { Organization, OrganizationUpdateRequest } from './schema.ts';
import { getOrganization, listOrganizations, updateOrganization } from './store.ts';

export function myOrganizationRoutes(db: Db, platform: PlatformLimits) {
  return userRoutes('Organizations', (on) => {
    on.get(
      '/user/organizations',
      {
        id: 'listOrganizations',
        summary: 'List the organizations you belong to',
        scope: 'organization:read',
        response: z.array(Organization),
      },
      ({ scope }) => listOrganizations(db, platform, scope),
    );
  });
}

export function organizationRoutes(db: Db, platform: PlatformLimits, signer: Signer) {
  const auditLog = listAuditLog(db, signer);
  return orgRoutes('Organizations', (on) => {
    on.get(
      '',
      {
        id: 'getOrganization',
        summary: 'Get an organization',
        scope: 'organization:read',
        role: 'member',
        response: Organization,
      },
      ({ scope }) => getOrganization(db, platform, scope),
    );

    on.patch(
      '',
      {
        id: 'updateOrganization',
        summary: 'Change an organization',
        description: 'Only platform admins can set `max_members`, even without being members.',
        scope: 'organization:write',
        role: 'admin',
        platformAdmin: true,
        body: OrganizationUpdateRequest,
        response: Organization,
      },
      async ({ scope, body }) => {
        await updateOrganization(db, scope, body);
        return getOrganization(db, platform, scope);
      },
    );

    on.get(
      '/audit-log',
      {
        id: 'listAuditLog',
        summary: 'Read the audit log, newest first',
        scope: 'organization:read',
        role: 'admin',
        query: auditLogQuery,
        response: AuditLogPage,
      },
      ({ scope, query }) => auditLog(scope, query),
    );
  });
}
