/** The operations of the committed document, for tests that try every one of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../src/platform/auth/scopes.ts';
import type { Level } from '../src/platform/http/operations.ts';

export interface DocumentedOperation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1. */
  readonly path: string;
  readonly summary: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly responses: Readonly<Record<string, { description: string; content?: object }>>;
  readonly access: {
    readonly level: Level;
    readonly scope?: Scope;
    readonly role?: string;
    readonly unrestricted?: boolean;
    readonly platform_admin?: boolean;
  };
}

export const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

type Item = Omit<DocumentedOperation, 'id' | 'access'> & {
  readonly operationId: string;
  readonly 'x-access': DocumentedOperation['access'];
};

export const operations: DocumentedOperation[] = Object.entries(
  document.paths as Record<string, Record<DocumentedOperation['method'], Item>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, summary, tags, responses, 'x-access': access }]) => ({
    id: operationId,
    method: method as DocumentedOperation['method'],
    path: path.replace('/api/v1', ''),
    summary,
    tags,
    responses,
    access,
  })),
);
