/** Login and logout with a password. */
import type {
  BrowserLogin,
  LoginRequest,
  LoginResponse,
  LogoutResponse,
  RefreshRequest,
  RefreshResponse,
  SignupRequest,
} from '../models.gen.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * A login returns an access token for 15 minutes, and a refresh token to get the next one. Unattended programs should use
 * an API key instead.
 *
 * @example
 * ```ts
 * const password = process.env['DRYDOCK_PASSWORD'] ?? '';
 * const login = await drydock.auth.logIn({ email_address: 'owner@localhost', password });
 * const asOwner = new Drydock({ accessToken: login.access_token });
 * console.log((await asOwner.user.get()).username); // → owner
 * await asOwner.auth.logOut({ refresh_token: login.refresh_token });
 * ```
 */
export class Auth extends Resource {
  /** Creates a user and logs them in. Requires `invitation_token` when sign-up is closed. */
  signUp(request: SignupRequest, options?: CallOptions): Promise<LoginResponse> {
    return this.client.call('signUp', { body: request }, options);
  }

  /** Logs a user in. An `invitation_token` also adds the user to the organization that invited them. */
  logIn(request: LoginRequest, options?: CallOptions): Promise<LoginResponse> {
    return this.client.call('logIn', { body: request }, options);
  }

  /** Exchanges a refresh token, which works once, for new tokens. */
  refresh(request: RefreshRequest, options?: CallOptions): Promise<RefreshResponse> {
    return this.client.call('refreshLogin', { body: request }, options);
  }

  /** Ends the login and all its access tokens. */
  logOut(request: RefreshRequest, options?: CallOptions): Promise<LogoutResponse> {
    return this.client.call('logOut', { body: request }, options);
  }

  /** Creates a user and signs this browser in: the refresh token is stored in a cookie that scripts cannot read. */
  signUpInBrowser(request: SignupRequest, options?: CallOptions): Promise<BrowserLogin> {
    return this.client.call('signUpInBrowser', { body: request }, options);
  }

  /** Signs this browser in, for pages served by the server itself. */
  logInInBrowser(request: LoginRequest, options?: CallOptions): Promise<BrowserLogin> {
    return this.client.call('logInInBrowser', { body: request }, options);
  }

  /** Returns a new access token for a page in a browser that is signed in. */
  refreshInBrowser(options?: CallOptions): Promise<BrowserLogin> {
    return this.client.call('refreshInBrowser', {}, options);
  }

  logOutInBrowser(options?: CallOptions): Promise<LogoutResponse> {
    return this.client.call('logOutInBrowser', {}, options);
  }
}
