/** Logging in a program that has no browser: it shows a code, and a signed-in user approves it elsewhere. */
import type {
  DeviceApproval,
  DeviceApprovalRequest,
  DeviceCode,
  DeviceTokenRequest,
  DeviceTokens,
} from '../models.gen.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const code = await drydock.device.createCode();
 * // The program shows code.user_code. A user, signed in elsewhere, approves it:
 * await drydock.device.approve({ user_code: code.user_code });
 * const { access_token } = await drydock.device.exchange({ device_code: code.device_code });
 * const program = new Drydock({ accessToken: access_token });
 * console.log((await program.user.get()).username); // → owner
 * ```
 */
export class Device extends Resource {
  /** Needs no credential. The code is good for ten minutes. */
  createCode(options?: CallOptions): Promise<DeviceCode> {
    return this.client.call('createDeviceCode', {}, options);
  }

  /** Whether a user has approved the code, and who. */
  getCode(where: { readonly device_code: string }, options?: CallOptions): Promise<DeviceCode> {
    return this.client.call('getDeviceCode', { path: where }, options);
  }

  /** By the user who wants the program to act for them. */
  approve(request: DeviceApprovalRequest, options?: CallOptions): Promise<DeviceApproval> {
    return this.client.call('approveDeviceCode', { body: request }, options);
  }

  /** Gives the tokens, once, as soon as the code is approved; before that it is an `invalid_error`. */
  exchange(request: DeviceTokenRequest, options?: CallOptions): Promise<DeviceTokens> {
    return this.client.call('exchangeDeviceCode', { body: request }, options);
  }
}
