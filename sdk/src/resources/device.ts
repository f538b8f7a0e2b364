/** Login of a program without a browser: it shows a code, and a signed-in user approves it elsewhere. */
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
  /** Creates a code without a credential. It is valid for ten minutes. */
  createCode(options?: CallOptions): Promise<DeviceCode> {
    return this.client.call('createDeviceCode', {}, options);
  }

  /** Returns whether a user has approved the code, and which one. */
  getCode(where: { readonly device_code: string }, options?: CallOptions): Promise<DeviceCode> {
    return this.client.call('getDeviceCode', { path: where }, options);
  }

  /** Approves the code as the user that the program will act for. */
  approve(request: DeviceApprovalRequest, options?: CallOptions): Promise<DeviceApproval> {
    return this.client.call('approveDeviceCode', { body: request }, options);
  }

  /** Returns the tokens, once, after the code is approved; throws an `invalid_error` before. */
  exchange(request: DeviceTokenRequest, options?: CallOptions): Promise<DeviceTokens> {
    return this.client.call('exchangeDeviceCode', { body: request }, options);
  }
}
