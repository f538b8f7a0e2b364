/** The members of an organization. */
import type { Member, MemberCreateRequest, MemberUpdateRequest } from '../models.gen.ts';
import type { List } from '../pages.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

interface OneMember extends InOrganization {
  readonly user_id: string;
}

/**
 * @example
 * ```ts
 * const members = await drydock.members.list({ org: 'main' });
 * console.log(members.find((member) => member.role === 'owner')?.user.username); // → owner
 * ```
 */
export class Members extends Resource {
  /** Lists all members with their roles. */
  list(where: InOrganization, options?: CallOptions): List<Member[]> {
    return this.client.list('listMembers', { path: where }, options);
  }

  /** Adds a user with an account; users without one are invited instead. */
  add(where: InOrganization, request: MemberCreateRequest, options?: CallOptions): Promise<Member> {
    return this.client.call('addMember', { path: where, body: request }, options);
  }

  /** Changes the role of a member. */
  update(where: OneMember, changes: MemberUpdateRequest, options?: CallOptions): Promise<Member> {
    return this.client.call('updateMember', { path: where, body: changes }, options);
  }

  /** Removes a member; their credentials stop working here within a second. */
  remove(where: OneMember, options?: CallOptions): Promise<void> {
    return this.client.call('removeMember', { path: where }, options);
  }
}
