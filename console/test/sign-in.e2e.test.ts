/** The sign-in of the console, and the pages whose links the API hands out. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { ConsoleBrowser, expectAccessible, fillSignIn } from './browser.ts';

const server = await startTestServer();
const browser = await ConsoleBrowser.open(server);
const owner = server.as(server.owner);

/** A link that the server hands out, at the address where this test reaches it. */
const pathOf = (link: string) => new URL(link).pathname + new URL(link).search;

test.each(['light', 'dark'] as const)(
  'the sign-in leads to the page that was asked for, in %s',
  async (colorScheme) => {
    const { page, context, errors } = await browser.visit('/o/main/w/main/sessions?search=x', {
      colorScheme,
    });
    await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in');
    await page.getByLabel('E-mail').waitFor();
    await expectAccessible(page);
    await page.getByLabel('E-mail').fill('owner@localhost');
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    await fillSignIn(page);
    await expect
      .poll(() => new URL(page.url()).pathname + new URL(page.url()).search)
      .toBe('/o/main/w/main/sessions?search=x');
    expect(errors).toEqual([]);
    const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(stored).not.toMatch(/ddr_|Bearer|token/i);
    await context.close();
  },
);

test('the sign-in does not lead to another site', async () => {
  for (const to of ['https://example.com/', '/\\example.com']) {
    const { page, context } = await browser.visit(`/sign-in?to=${encodeURIComponent(to)}`);
    await fillSignIn(page);
    await expect.poll(() => new URL(page.url()).pathname).toBe('/o/main/w/main');
    expect(new URL(page.url()).origin).toBe(browser.url);
    await context.close();
  }
});

test('a second tab is signed in as well, and a sign-out ends both', async () => {
  const { page, context } = await browser.signIn('/');
  const second = await context.newPage();
  await second.goto('/o/main/w/main/evaluations');
  await second.getByRole('link', { name: 'Evaluations' }).waitFor();
  await page.getByRole('button', { name: 'User' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in');
  await second.reload();
  await expect.poll(() => new URL(second.url()).pathname).toBe('/sign-in');
  await context.close();
});

test('an invitation creates an account, which chooses a name and sees the organization', async () => {
  const { body } = await owner.post('/org/main/invitations', {
    email_address: 'ann@example.com',
    role: 'member',
  });
  const { page, context, errors } = await browser.visit(pathOf(body.url));
  await page.getByLabel('E-mail').fill('ann@example.com');
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Password' }).fill('short');
  await page.getByRole('button', { name: 'Create the account and join' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
  await page.getByRole('button', { name: 'Create the account and join' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Username').fill('Not A Username');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Username').fill('ann-lee');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/o/main/w/main');
  expect(errors).toEqual([]);
  await context.close();
});

test('an invitation refuses wrong credentials, and says when its link is incomplete', async () => {
  const { body } = await owner.post('/org/main/invitations', {
    email_address: 'bob@example.com',
    role: 'member',
  });
  const { page, context } = await browser.visit(pathOf(body.url));
  await page.getByText('I have an account').click();
  await page.getByLabel('E-mail').fill('bob@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('not known here');
  await page.getByRole('button', { name: 'Sign in and join' }).click();
  await page.getByRole('alert').waitFor();
  await page.goto('/invitation');
  await page.getByText('This link is incomplete').waitFor();
  await context.close();
});

test('the device page approves the code of a program, by keyboard', async () => {
  const { body: code } = await server.as(undefined).post('/auth/device/code');
  const { page, context, errors } = await browser.visit(pathOf(code.verification_url));
  await fillSignIn(page);
  await page.getByText('owner@localhost').waitFor();
  await expectAccessible(page);
  expect(await page.getByLabel('Code').inputValue()).toBe(code.user_code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The program is signed in' }).waitFor();
  const tokens = await server.as(undefined).post('/auth/device/token', { device_code: code.device_code });
  expect(tokens.status).toBe(200);
  await page.goto('/device?user_code=WRONG-CODE');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('alert').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
