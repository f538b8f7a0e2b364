import { z } from 'zod';
import { actorOf } from '../../platform/audit/audit.ts';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { userIdParam } from '../fields.ts';
import { invite, listInvitations, withdrawInvitation } from './invitations.ts';
import {
  Invitation,
  InvitationCreated,
  InvitationCreateRequest,
  invitationIdParam,
  Member,
  MemberCreateRequest,
  MemberUpdateRequest,
} from './schema.ts';
import { addMember, changeRole, listMembers, removeMember } from './store.ts';

/** Called after the removal: other domains end what they keep running for the member. */
export type MemberRemoved = (removed: {
  readonly organizationId: string;
  readonly userId: string;
  readonly actorId: string;
  readonly apiKeyId: string | null;
  readonly requestId: string;
}) => Promise<void>;

export function memberRoutes(db: Db, memberRemoved: MemberRemoved) {
  return orgRoutes('Members', (on) => {
    on.get(
      '/members',
      {
        id: 'listMembers',
        summary: 'List members',
        scope: 'members:read',
        role: 'member',
        response: z.array(Member),
      },
      ({ scope }) => listMembers(db, scope),
    );

    on.post(
      '/members',
      {
        id: 'addMember',
        summary: 'Add a user of this server to the organization',
        scope: 'members:write',
        role: 'admin',
        body: MemberCreateRequest,
        response: Member,
        status: 201,
      },
      ({ scope, body }) => addMember(db, scope, body),
    );

    on.patch(
      '/members/:user_id',
      {
        id: 'updateMember',
        summary: "Change a member's role",
        scope: 'members:write',
        role: 'admin',
        params: userIdParam,
        body: MemberUpdateRequest,
        response: Member,
      },
      ({ scope, params, body }) => changeRole(db, scope, params.user_id, body.role),
    );

    on.delete(
      '/members/:user_id',
      {
        id: 'removeMember',
        summary: 'Remove a member, or leave',
        scope: 'members:write',
        role: 'member',
        params: userIdParam,
      },
      async ({ scope, params, request }) => {
        await removeMember(db, scope, params.user_id);
        const { userId: actorId, ...actor } = actorOf(scope);
        const { organizationId, requestId } = scope;
        const removed = { ...actor, organizationId, userId: params.user_id, actorId, requestId };
        // The removal is kept, and a cleanup job continues with the rest.
        await memberRemoved(removed).catch((error: unknown) =>
          request.log.warn({ err: error, organizationId }, 'not all that a removed member runs has ended'),
        );
      },
    );
  });
}

export function invitationRoutes(db: Db, publicUrl: string) {
  return orgRoutes('Members', (on) => {
    on.get(
      '/invitations',
      {
        id: 'listInvitations',
        summary: 'List open invitations',
        scope: 'members:read',
        role: 'admin',
        response: z.array(Invitation),
      },
      ({ scope }) => listInvitations(db, scope),
    );

    on.post(
      '/invitations',
      {
        id: 'createInvitation',
        summary: 'Invite someone by e-mail address',
        description:
          'The link works once, within seven days, for that address; also where sign-up is closed.',
        scope: 'members:write',
        role: 'admin',
        body: InvitationCreateRequest,
        response: InvitationCreated,
        status: 201,
      },
      ({ scope, body }) => invite(db, scope, publicUrl, body),
    );

    on.delete(
      '/invitations/:invitation_id',
      {
        id: 'withdrawInvitation',
        summary: 'Withdraw an invitation',
        scope: 'members:write',
        role: 'admin',
        params: invitationIdParam,
      },
      ({ scope, params }) => withdrawInvitation(db, scope, params.invitation_id),
    );
  });
}
