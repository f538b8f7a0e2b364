/** Ids of models: the provider that an organization has listed, a slash, and what that provider calls it. */
import { ApiError } from '../platform/errors.ts';

export interface ModelId {
  readonly provider: string;
  readonly name: string;
}

/** The first slash divides: names may hold further ones. */
export function findModelId(id: string): ModelId | undefined {
  const slash = id.indexOf('/');
  return slash > 0 && slash < id.length - 1
    ? { provider: id.slice(0, slash), name: id.slice(slash + 1) }
    : undefined;
}

/** As long as the longest id, and more: what is longer is not repeated. */
const SHOWN = 300;

export function modelNotFound(id: string): ApiError {
  const shown = id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id;
  const detail =
    `There is no model "${shown}" here. GET …/inference/v1/models lists those that there are; ` +
    'an admin of the organization adds others with PUT …/inference/providers.';
  return new ApiError('not_found_error', detail, { reason: 'model_not_found' });
}
