/** docs/reference/simulated-models.md: its scripts can be followed, and it names every field of a step. */
import { expect, test } from 'vitest';
import { ask, scripted } from '../simulated-responses.ts';
import { readBlocks, readText } from './document.ts';

const PAGE = 'docs/reference/simulated-models.md';
const scripts = readBlocks(PAGE)
  .filter(({ language }) => language === 'json')
  .map(({ code }) => code);

test('the page has scripts', () => {
  expect(scripts).toHaveLength(5);
});

test.each(scripts.entries().toArray())('script %d of the page can be followed', async (_, text) => {
  const response = await ask(scripted(JSON.parse(text)), { retryCount: 2 });
  expect(response.outputLength).toBeGreaterThan(0);
});

test('the page names every field of a step', () => {
  const table = /^### A step\n(.*?)^### /ms.exec(readText(PAGE))?.[1] ?? '';
  const named = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
  const source = readText('server/src/platform/llm/simulated/script.ts');
  const fields = [
    /const answer = z\.strictObject\((.*?)^\}\)/ms,
    /^const step = answer\s*\.extend\((.*?)^ {2}\}\)/ms,
  ]
    .map((schema) => schema.exec(source)?.[1] ?? '')
    .flatMap((text) => [...text.matchAll(/^ {2,4}(\w+):/gm)].map(([, field = '']) => field));
  expect(named.toSorted()).toEqual(fields.toSorted());
});
