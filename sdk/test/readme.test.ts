import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Drydock } from '../src/drydock.ts';
import { Resource } from '../src/resource.ts';

test('the README names every resource of the client, in order', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const list = /one method per operation: (.*?`)\. /s.exec(readme)?.[1] ?? '';
  const named = [...list.matchAll(/`(?:drydock\.)?(\w+)`/g)].map(([, name]) => name);
  const resources = Object.entries(new Drydock({ baseUrl: 'http://localhost' }))
    .filter(([, value]) => value instanceof Resource)
    .map(([name]) => name);
  expect(named).toEqual(resources);
});
