import type { Db } from '../../platform/db/connect.ts';
import { userRoutes } from '../../platform/http/operations.ts';
import { clientAddress } from '../../platform/limits/client-address.ts';
import { OnboardingRequest, UserLimits, UserResponse, UserUpdateRequest } from './schema.ts';
import { completeOnboarding, getLimits, getUser, updateUser } from './store.ts';

export function profileRoutes(db: Db) {
  return userRoutes('User', (on) => {
    on.get(
      '/user',
      { id: 'getUser', summary: 'Get the signed-in user', scope: 'user:read', response: UserResponse },
      ({ scope }) => getUser(db, scope),
    );

    on.patch(
      '/user',
      {
        id: 'updateUser',
        summary: 'Change the signed-in user',
        scope: 'user:write',
        unrestricted: true,
        body: UserUpdateRequest,
        response: UserResponse,
      },
      async ({ scope, body, request }) => {
        await updateUser(db, scope, clientAddress(request), body);
        return getUser(db, scope);
      },
    );

    on.get(
      '/user/limits',
      {
        id: 'getUserLimits',
        summary: 'Get the limits of the signed-in user',
        scope: 'user:read',
        response: UserLimits,
      },
      ({ scope }) => getLimits(db, scope),
    );

    on.post(
      '/user/onboarding',
      {
        id: 'completeOnboarding',
        summary: 'Complete onboarding',
        description:
          'Once per user: sets the username and, with `org_name`, creates an organization. A second call responds with 409.',
        scope: 'user:write',
        body: OnboardingRequest,
        response: UserResponse,
        idempotency: true,
      },
      async ({ scope, body }) => {
        await completeOnboarding(db, scope, body);
        return getUser(db, scope);
      },
    );
  });
}
