/** Adds the default environment to that of a command. */
import { ApiError } from '../../../errors.ts';
import { PROXY_PORT } from '../holder-scripts.ts';

const USUAL = {
  PATH: '/home/user/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/home/user',
  USER: 'user',
  LANG: 'C.UTF-8',
};

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const PROXY_NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
const NO_PROXY = 'localhost,127.0.0.1,::1';

/** @throws {ApiError} `validation_error` for a name or value that no environment can hold */
export function toEnvironment(
  given: Readonly<Record<string, string>>,
  hasProxy: boolean,
): Record<string, string> {
  for (const [name, value] of Object.entries(given)) {
    if (name === '' || /[=\0]/.test(name) || value.includes('\0')) {
      throw new ApiError(
        'validation_error',
        `${JSON.stringify(name)} cannot be in an environment. Leave it out.`,
      );
    }
  }
  const proxy = hasProxy
    ? { ...Object.fromEntries(PROXY_NAMES.map((name) => [name, PROXY])), NO_PROXY, no_proxy: NO_PROXY }
    : {};
  return { ...USUAL, ...proxy, ...given };
}
