import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { publicRoutes, type RouteGroup, userRoutes } from '../../platform/http/operations.ts';
import { clientAddress } from '../../platform/limits/client-address.ts';
import {
  DeviceApproval,
  DeviceApprovalRequest,
  DeviceCode,
  DeviceTokenRequest,
  DeviceTokens,
  deviceCodeParam,
} from './schema.ts';
import { approveDeviceCode, createDeviceCode, exchangeDeviceCode, getDeviceCode } from './store.ts';

export function deviceRoutes(db: Db, signer: Signer, publicUrl: string): RouteGroup[] {
  const forPrograms = publicRoutes('Sign-in', (on) => {
    on.post(
      '/auth/device/code',
      {
        id: 'createDeviceCode',
        summary: 'Begin to sign in a program that has no browser',
        description:
          'The program shows `user_code` and waits until a user has approved it within 10 minutes.',
        response: DeviceCode,
        status: 201,
      },
      ({ request }) => createDeviceCode(db, publicUrl, clientAddress(request)),
    );

    on.get(
      '/auth/device/code/:device_code',
      {
        id: 'getDeviceCode',
        summary: 'Check whether a device code has been approved',
        description: 'Poll it every few seconds.',
        params: deviceCodeParam,
        response: DeviceCode,
      },
      ({ params }) => getDeviceCode(db, publicUrl, params.device_code),
    );

    on.post(
      '/auth/device/token',
      {
        id: 'exchangeDeviceCode',
        summary: 'Exchange an approved device code for tokens',
        description: 'Works once. Before the approval it responds with 400.',
        body: DeviceTokenRequest,
        response: DeviceTokens,
      },
      ({ body }) => exchangeDeviceCode(db, signer, body.device_code),
    );
  });

  const forUsers = userRoutes('Sign-in', (on) => {
    on.post(
      '/auth/device/approve',
      {
        id: 'approveDeviceCode',
        summary: 'Let a program sign in as you',
        description: 'Needs an access token or a key that nothing narrows and that does not expire.',
        scope: 'user:write',
        unrestricted: true,
        body: DeviceApprovalRequest,
        response: DeviceApproval,
      },
      ({ scope, body }) => approveDeviceCode(db, scope, body.user_code),
    );
  });
  return [forPrograms, forUsers];
}
