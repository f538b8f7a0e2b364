import { z } from 'zod';
import { Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { EmailAddress, OrgRole } from '../fields.ts';
import { UserIdentity } from '../service.ts';

export const Member = z
  .object({
    id: Id.describe('Of the membership'),
    user_id: Id,
    role: OrgRole,
    user: UserIdentity,
    created_at: Timestamp,
  })
  .meta({ id: 'Member' });

export const MemberCreateRequest = z
  .object({
    user: z
      .string()
      .min(1)
      .max(254)
      .describe('A username, or an e-mail address proven through an invitation'),
    role: OrgRole.default('member'),
  })
  .meta({ id: 'MemberCreateRequest' });

export const MemberUpdateRequest = z.object({ role: OrgRole }).meta({ id: 'MemberUpdateRequest' });

export const InvitationCreateRequest = z
  .object({ email_address: EmailAddress, role: OrgRole.default('member') })
  .meta({ id: 'InvitationCreateRequest' });

export const Invitation = z
  .object({
    id: Id,
    email_address: z.string(),
    role: OrgRole,
    created_by: Id,
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'Invitation' });

export const InvitationCreated = Invitation.extend({
  invitation_token: z
    .string()
    .describe('For POST /auth/signup or /auth/login; shown only now, good for one use'),
  url: z.string().describe('A link that carries the token'),
}).meta({ id: 'InvitationCreated' });

export const invitationIdParam = z.object({ invitation_id: Uuid });
