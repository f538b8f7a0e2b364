/** What a new user does first: sign in, run the sample evaluation, and see why a sample failed. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startEvaluationWorld } from '../../server/test/evaluation-world.ts';
import { FIRST_START } from '../../server/test/first-start.ts';
import { ConsoleBrowser } from './browser.ts';

const { server } = await startEvaluationWorld();
const browser = await ConsoleBrowser.open(server);

const MAX_STEPS = 10;

/** Counts clicks and keys that are not typed text. */
function countSteps(page: Page) {
  let steps = 0;
  return {
    click: async (role: 'button' | 'link', name: string | RegExp) => {
      steps += 1;
      await page.getByRole(role, { name }).first().click();
    },
    clickRow: async (text: string) => {
      steps += 1;
      await page.getByRole('row').filter({ hasText: text }).first().click();
    },
    press: async (key: string) => {
      steps += 1;
      await page.keyboard.press(key);
    },
    type: (text: string) => page.keyboard.type(text),
    count: () => steps,
  };
}

test('a new user sees why a sample failed within ten clicks and keys', async () => {
  const { page, errors } = await browser.visit('/');
  const user = countSteps(page);
  await page.getByLabel('E-mail').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('email');
  await user.type(FIRST_START.email);
  await user.press('Tab');
  await user.type(FIRST_START.password);
  await user.press('Enter');

  await user.click('button', 'Run the sample evaluation');
  await page.waitForURL(/\/evaluations\/[0-9a-f-]{36}/);
  await user.clickRow('Failed');

  const result = page.getByRole('status', { name: 'Result' });
  await expect
    .poll(() => result.textContent())
    .toMatch(
      /^Failed: the verification script ended with exit code 1: the answer is ".*", and must be ".+"\.$/,
    );
  expect(user.count()).toBeLessThanOrEqual(MAX_STEPS);
  expect(errors).toEqual([]);
});
