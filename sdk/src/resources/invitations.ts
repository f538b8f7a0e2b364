/** Invitations into an organization. */
import type { Invitation, InvitationCreated, InvitationCreateRequest } from '../models.gen.ts';
import type { List } from '../pages.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const invitation = await drydock.invitations.create(
 *   { org: 'main' },
 *   { email_address: 'grace@example.com', role: 'member' },
 * );
 * console.log(invitation.invitation_token.startsWith('ddi_')); // → true
 * await drydock.invitations.withdraw({ org: 'main', invitation_id: invitation.id });
 * ```
 */
export class Invitations extends Resource {
  /** Lists invitations that were neither used nor withdrawn. */
  list(where: InOrganization, options?: CallOptions): List<Invitation[]> {
    return this.client.list('listInvitations', { path: where }, options);
  }

  /** Creates an invitation. The response contains a token for signing up or logging in, which is shown only once. */
  create(
    where: InOrganization,
    request: InvitationCreateRequest,
    options?: CallOptions,
  ): Promise<InvitationCreated> {
    return this.client.call('createInvitation', { path: where, body: request }, options);
  }

  /** Withdraws an invitation, which invalidates its token. */
  withdraw(where: InOrganization & { readonly invitation_id: string }, options?: CallOptions): Promise<void> {
    return this.client.call('withdrawInvitation', { path: where }, options);
  }
}
