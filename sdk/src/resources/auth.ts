/** Logging in and out, with a password. */
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
 * A login gives an access token for 15 minutes, and a refresh token to get the next one with. Programs that run by
 * themselves are better served by an API key.
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
  /** Creates a user and logs them in. Where sign-up is closed, `invitation_token` is needed. */
  signUp(request: SignupRequest, options?: CallOptions): Promise<LoginResponse> {
    return this.client.call('signUp', { body: request }, options);
  }

  /** With `invitation_token` the user also joins the organization that invited them. */
  logIn(request: LoginRequest, options?: CallOptions): Promise<LoginResponse> {
    return this.client.call('logIn', { body: request }, options);
  }

  /** Gives new tokens for a refresh token, which works once. */
  refresh(request: RefreshRequest, options?: CallOptions): Promise<RefreshResponse> {
    return this.client.call('refreshLogin', { body: request }, options);
  }

  /** Ends the login and all its access tokens. */
  logOut(request: RefreshRequest, options?: CallOptions): Promise<LogoutResponse> {
    return this.client.call('logOut', { body: request }, options);
  }

  /** Creates a user and signs this browser in: the refresh token is kept in a cookie that scripts cannot read. */
  signUpInBrowser(request: SignupRequest, options?: CallOptions): Promise<BrowserLogin> {
    return this.client.call('signUpInBrowser', { body: request }, options);
  }

  /** Signs this browser in. For pages that the server itself serves. */
  logInInBrowser(request: LoginRequest, options?: CallOptions): Promise<BrowserLogin> {
    return this.client.call('logInInBrowser', { body: request }, options);
  }

  /** Gives a new access token to a page of a browser that is signed in. */
  refreshInBrowser(options?: CallOptions): Promise<BrowserLogin> {
    return this.client.call('refreshInBrowser', {}, options);
  }

  logOutInBrowser(options?: CallOptions): Promise<LogoutResponse> {
    return this.client.call('logOutInBrowser', {}, options);
  }
}
