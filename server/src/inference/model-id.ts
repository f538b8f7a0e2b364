/** Model ids: a provider name of the organization, a slash, and the provider's name of the model. */
import { ApiError } from '../platform/errors.ts';

export interface ModelId {
  readonly provider: string;
  readonly name: string;
}

/** The first slash is the separator: model names may contain more. */
export function findModelId(id: string): ModelId | undefined {
  const slash = id.indexOf('/');
  return slash > 0 && slash < id.length - 1
    ? { provider: id.slice(0, slash), name: id.slice(slash + 1) }
    : undefined;
}

/** Characters of an id to repeat in an error: more than the longest valid id. */
const SHOWN = 300;

export function modelNotFound(id: string): ApiError {
  const shown = id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id;
  const detail =
    `There is no model "${shown}" here. GET …/inference/v1/models lists those that there are; ` +
    'an admin of the organization adds others with PUT …/inference/providers.';
  return new ApiError('not_found_error', detail, { reason: 'model_not_found' });
}
