/** The sign-in of this browser. The access token is in memory only; the cookie that renews it cannot be read by scripts. */
import { type BrowserLogin, type Drydock, isDrydockError, type UserResponse } from '@drydock/sdk';

/**
 * `starting`: whether this browser is signed in is not known yet. `expired`: the refresh token has expired or was revoked; the page stays
 * and waits until the user signs in again.
 */
export type LoginState =
  | { readonly status: 'starting' | 'signed-out' }
  | { readonly status: 'signed-in' | 'expired'; readonly user: UserResponse };

type Auth = Drydock['auth'];

/** An access token is renewed this long before it expires. */
const RENEW_EARLY_MS = 30_000;

export class Login {
  readonly #auth: Auth;
  /** Tells the other pages of this browser about a sign-in. */
  readonly #channel = new BroadcastChannel('login');
  readonly #listeners = new Set<() => void>();
  #state: LoginState = { status: 'starting' };
  #token: { readonly value: string; readonly expiresAt: number } | undefined;
  #renewing: Promise<string> | undefined;
  /** Counts sign-outs: a renewal that was under way must not undo one. */
  #signOuts = 0;
  /** Resolved by the next sign-in. */
  #signedIn = Promise.withResolvers<string>();

  constructor(auth: Auth) {
    this.#auth = auth;
    this.#channel.addEventListener('message', () => {
      if (this.#state.status === 'expired') void this.#renew().catch(() => undefined);
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): LoginState => this.#state;

  /** Finds out whether this browser is signed in. */
  async restore(): Promise<LoginState> {
    if (this.#state.status === 'starting') {
      try {
        await this.#accept(await this.#auth.refreshInBrowser());
      } catch (error) {
        if (!isSignedOut(error)) throw error;
        this.#set({ status: 'signed-out' });
      }
    }
    return this.#state;
  }

  async logIn(request: Parameters<Auth['logInInBrowser']>[0]): Promise<void> {
    await this.#accept(await this.#auth.logInInBrowser(request));
    this.#announce();
  }

  async signUp(request: Parameters<Auth['signUpInBrowser']>[0]): Promise<void> {
    await this.#accept(await this.#auth.signUpInBrowser(request));
    this.#announce();
  }

  async logOut(): Promise<void> {
    await this.#auth.logOutInBrowser();
    this.#signOuts += 1;
    this.#token = undefined;
    this.#set({ status: 'signed-out' });
  }

  setUser(user: UserResponse): void {
    this.#set({ status: 'signed-in', user });
  }

  /** Drops a token that the server has rejected. */
  forget(token: string): void {
    if (this.#token?.value === token) this.#token = undefined;
  }

  /** Resolves when there is a valid token: at once, after a renewal, or after the user has signed in again. */
  async getToken(): Promise<string> {
    if (this.#token && this.#token.expiresAt - RENEW_EARLY_MS > Date.now()) return this.#token.value;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(): Promise<string> {
    const { promise } = this.#signedIn;
    const before = this.#signOuts;
    try {
      const renewed = await this.#auth.refreshInBrowser();
      return before === this.#signOuts ? await this.#accept(renewed) : await promise;
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      if (this.#state.status === 'signed-in') this.#set({ status: 'expired', user: this.#state.user });
      return promise;
    }
  }

  /** A page holds data of its user. When another user has signed in, it is reloaded, and no waiting request is sent. */
  async #accept({ access_token, expires_in, user }: BrowserLogin): Promise<string> {
    if ('user' in this.#state && this.#state.user.id !== user.id) {
      location.assign('/');
      return new Promise(() => undefined);
    }
    this.#token = { value: access_token, expiresAt: Date.now() + expires_in * 1_000 };
    this.#signedIn.resolve(access_token);
    this.#signedIn = Promise.withResolvers<string>();
    this.#set({ status: 'signed-in', user });
    return access_token;
  }

  #announce(): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, unlike a window
    this.#channel.postMessage('signed in');
  }

  #set(state: LoginState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const isSignedOut = (error: unknown) => isDrydockError(error) && error.status === 401;
