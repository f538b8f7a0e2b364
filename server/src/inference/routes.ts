/** All operations on inference. */
import type { RouteGroup } from '../platform/http/operations.ts';
import type { ChatGateway } from './chat/gateway.ts';
import { chatRoutes } from './chat/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { type ProvidersOptions, providerRoutes } from './providers/routes.ts';

export interface InferenceOptions extends ProvidersOptions {
  readonly gateway: ChatGateway;
}

export function inferenceRoutes({ gateway, ...options }: InferenceOptions): RouteGroup[] {
  return [providerRoutes(options), modelRoutes(options.db), chatRoutes(gateway)];
}
