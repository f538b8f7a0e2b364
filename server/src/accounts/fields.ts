/** Fields that several account resources share. */
import { z } from 'zod';
import { ORG_ROLES, WORKSPACE_ROLES } from '../platform/auth/principal.ts';
import { Uuid } from '../platform/fields.ts';

export const EmailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform((address) => address.toLowerCase());

export const Password = z.string().min(8).max(256);

export const OrgRole = z.enum(ORG_ROLES);

export const WorkspaceRole = z.enum(WORKSPACE_ROLES);

export const userIdParam = z.object({ user_id: Uuid });

export function fullName(user: { first_name: string | null; last_name: string | null }): string | null {
  return [user.first_name, user.last_name].filter(Boolean).join(' ') || null;
}
