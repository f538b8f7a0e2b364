/** The user of this credential. */
import type { OnboardingRequest, UserLimits, UserResponse, UserUpdateRequest } from '../models.gen.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const user = await drydock.user.update({ first_name: 'Ada' });
 * console.log(user.username, user.first_name); // → owner Ada
 * ```
 */
export class User extends Resource {
  /** Returns the user, and the organizations they belong to. */
  get(options?: CallOptions): Promise<UserResponse> {
    return this.client.call('getUser', {}, options);
  }

  /** Changes the given fields. */
  update(changes: UserUpdateRequest, options?: CallOptions): Promise<UserResponse> {
    return this.client.call('updateUser', { body: changes }, options);
  }

  /** Returns the limits of the user. */
  limits(options?: CallOptions): Promise<UserLimits> {
    return this.client.call('getUserLimits', {}, options);
  }

  /** Chooses the username and, with `org_name`, creates a first organization. Works once. */
  completeOnboarding(request: OnboardingRequest, options?: CallOptions): Promise<UserResponse> {
    return this.client.call('completeOnboarding', { body: request }, options);
  }
}
