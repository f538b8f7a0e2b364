import { z } from 'zod';
import { DateTime, Uuid } from '../../platform/http/fields.ts';
import { EmailAddress, OrgRole, UserIdentity } from '../fields.ts';

export const Member = z
  .object({
    id: Uuid.describe('Of the membership'),
    user_id: Uuid,
    role: OrgRole,
    user: UserIdentity,
    created_at: DateTime,
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
    id: Uuid,
    email_address: z.string(),
    role: OrgRole,
    created_by: Uuid,
    created_at: DateTime,
    expires_at: DateTime,
  })
  .meta({ id: 'Invitation' });

export const InvitationCreated = Invitation.extend({
  url: z.string().describe('Ends with the invitation token; shown only now, good for one use'),
}).meta({ id: 'InvitationCreated' });

export const invitationIdParam = z.object({ invitation_id: Uuid });
