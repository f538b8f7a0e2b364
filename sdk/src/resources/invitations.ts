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
  /** Those that were neither used nor withdrawn. */
  list(where: InOrganization, options?: CallOptions): List<Invitation[]> {
    return this.client.list('listInvitations', { path: where }, options);
  }

  /** The answer holds a token for signing up or logging in, which is shown only this once. */
  create(
    where: InOrganization,
    request: InvitationCreateRequest,
    options?: CallOptions,
  ): Promise<InvitationCreated> {
    return this.client.call('createInvitation', { path: where, body: request }, options);
  }

  /** Makes the token worthless. */
  withdraw(where: InOrganization & { readonly invitation_id: string }, options?: CallOptions): Promise<void> {
    return this.client.call('withdrawInvitation', { path: where }, options);
  }
}
