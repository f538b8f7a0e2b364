/**
 * Asserts that code which acts for a request stores its changes with `transactionFor`. With `transaction`, a repetition of a call whose
 * process died before its response was stored would make the change again.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/**
 * What these do is not the effect of a call with a key: `renewScope` itself, transactions that only prepare an effect, and the record of a
 * model call, which takes no key.
 */
const EXCEPTIONS = [
  'accounts/service.ts',
  'inference/recording/call-recorder.ts',
  'optimization/control/promote.ts',
  'registry/publish/verify-upload.ts',
  'training/control/change.ts',
];

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** These lose the record of the effect that a scope carries. */
const UNRECORDED = new Set<string | undefined>(['transaction', 'scopeOf']);

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

test('a function with a scope calls transactionFor and renewScope, not transaction and scopeOf', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).filter((file) => !file.endsWith('.test.ts'));
  const found = files.flatMap((file) => findUnrecorded(file, readFileSync(join(SRC, file), 'utf8')));
  expect(found.toSorted()).toEqual(EXCEPTIONS);
});

test.each([
  ['const f = (db, scope) => transaction(db, work);', 1],
  ['async function f(db, { scope }) { await Promise.all([1].map(() => transaction(db, work))); }', 1],
  ['const f = (db, scope) => transactionFor(db, scope, work);', 0],
  ['const f = (db, job) => transaction(db, work);', 0],
  ['const f = (db, scope) => publish(() => scopeOf(db, scope, userId, id));', 1],
])('%s has %i calls that lose the record of a scope', (text, count) => {
  expect(findUnrecorded('f.ts', text)).toHaveLength(count);
});

/** Returns the file once per call of one of them inside a function with a parameter `scope`. */
function findUnrecorded(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, hasScope: boolean): void => {
    const isScoped = hasScope || (FUNCTIONS.has(node.type) && takesScope(node, text));
    const callee = node.type === 'CallExpression' && (node.callee as { name?: string });
    if (isScoped && callee && UNRECORDED.has(callee.name)) found.push(file);
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, isScoped);
  };
  visit(parseSync(file, text).program as unknown as Node, false);
  return found;
}

const takesScope = ({ params }: Node, text: string) =>
  (params as readonly Node[]).some(({ start, end }) => /\bscope\b/.test(text.slice(start, end)));

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;
