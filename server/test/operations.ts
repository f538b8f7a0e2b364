/** Lists the operations of the committed document, for tests that try every one of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../src/platform/auth/scopes.ts';
import type { Level } from '../src/platform/http/operations.ts';

export interface DocumentedOperation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below /api/v1. */
  readonly path: string;
  readonly summary: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly responses: Readonly<Record<string, { description: string; content?: object }>>;
  readonly access: {
    readonly level: Level;
    readonly scope?: Scope;
    readonly role?: string;
    readonly unrestricted?: boolean;
    readonly platform_admin?: boolean | 'only';
    readonly organization_wide?: boolean;
  };
}

export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<DocumentedOperation['method'], Item>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface Item extends Omit<DocumentedOperation, 'id' | 'access'> {
  readonly operationId: string;
  readonly 'x-access': DocumentedOperation['access'];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: object }>> };
}

export const toOperations = ({ paths }: ApiDocument): DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
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

export const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

export const operations = toOperations(document as ApiDocument);
