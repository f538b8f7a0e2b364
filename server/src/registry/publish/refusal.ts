/** What is wrong with a bundle, for who sent it. */
import { type ApiError, invalidValue } from '../../platform/errors.ts';

/** @param path of the file that is meant; without one, the bundle as a whole */
export const refusal = (msg: string, path?: string): ApiError =>
  invalidValue(path === undefined ? ['body'] : ['body', path], msg, 'invalid_bundle');
