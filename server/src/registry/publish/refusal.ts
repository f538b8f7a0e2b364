/** The error for an invalid bundle. */
import { type ApiError, invalidValue } from '../../platform/errors.ts';

/** @param path of the invalid file; omit for the bundle as a whole */
export const refusal = (msg: string, path?: string): ApiError =>
  invalidValue(path === undefined ? ['body'] : ['body', path], msg, 'invalid_bundle');
