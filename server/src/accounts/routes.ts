/** Routes of all accounts operations, in the order of the API document. */
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { deviceRoutes } from './device/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { browserLoginRoutes } from './login/browser-routes.ts';
import { loginRoutes } from './login/routes.ts';
import { invitationRoutes, type MemberRemoved, memberRoutes } from './members/routes.ts';
import { myOrganizationRoutes, organizationRoutes } from './organizations/routes.ts';
import type { PlatformLimits } from './organizations/runtime-limits.ts';
import { projectRoutes } from './projects/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import { profileRoutes } from './users/routes.ts';
import { oneWorkspaceRoutes, workspaceListRoutes } from './workspaces/routes.ts';
import type { WorkspaceContent } from './workspaces/store.ts';

export interface AccountsOptions {
  readonly db: Db;
  readonly signer: Signer;
  readonly vault: Vault;
  readonly signup: 'open' | 'closed';
  readonly publicUrl: string;
  readonly runtimeLimits: PlatformLimits;
  readonly workspaceContent: WorkspaceContent;
  readonly memberRemoved: MemberRemoved;
}

export function accountRoutes(options: AccountsOptions): RouteGroup[] {
  const { db, signer, vault, signup, publicUrl, runtimeLimits, workspaceContent, memberRemoved } = options;
  return [
    loginRoutes(db, { signer, signup }),
    browserLoginRoutes(db, { signer, signup }, publicUrl),
    ...deviceRoutes(db, signer, publicUrl),
    profileRoutes(db),
    keyRoutes(db),
    secretRoutes(db, vault),
    myOrganizationRoutes(db, runtimeLimits),
    organizationRoutes(db, runtimeLimits, signer),
    memberRoutes(db, memberRemoved),
    invitationRoutes(db, publicUrl),
    workspaceListRoutes(db),
    oneWorkspaceRoutes(db, workspaceContent),
    projectRoutes(db),
  ];
}
