/** Pages of the console in Debian's Chromium, against a real server. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { atEndOfFile } from '../../server/test/end-of-file.ts';
import { FIRST_START } from '../../server/test/first-start.ts';
import type { TestServer } from '../../server/test/harness.ts';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeout.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Findings with this impact prevent people from using a page. */
const SERIOUS = new Set(['serious', 'critical']);
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page wrote to the console of the browser, or did not catch. */
  readonly errors: string[];
}

interface VisitOptions {
  readonly colorScheme?: 'light' | 'dark';
}

export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly url: string;

  private constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.url = url;
  }

  static async open(server: Pick<TestServer, 'app'>): Promise<ConsoleBrowser> {
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--enable-precise-memory-info',
        '--disable-gpu',
        '--disable-software-rasterizer',
      ],
    });
    atEndOfFile(() => browser.close());
    return new ConsoleBrowser(browser, url);
  }

  /** Opens a page in a new browser context, in which nobody is signed in. */
  async visit(path = '/', options: VisitOptions = {}): Promise<Visit> {
    return this.#open(path, await this.#newContext(options));
  }

  /** Opens a page as the first owner. It signs in through the API, because the sign-in page takes 2 s. */
  async signIn(path = '/', options: VisitOptions = {}): Promise<Visit> {
    const context = await this.#newContext(options);
    const data = { email_address: FIRST_START.email, password: FIRST_START.password };
    const response = await context.request.post('/api/v1/auth/browser/login', { data });
    expect(response.status()).toBe(200);
    return this.#open(path, context);
  }

  async #newContext(options: VisitOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      baseURL: this.url,
      viewport: { width: 1360, height: 850 },
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(WAIT_TIMEOUT_MS);
    return context;
  }

  async #open(path: string, context: BrowserContext): Promise<Visit> {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      // A refused request is written to the console by the browser itself, and not by a script.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(path);
    return { page, context, errors };
  }
}

export async function fillSignIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(FIRST_START.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(FIRST_START.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Expects no serious finding of axe, by all of its rules or by some. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  const serious = violations
    .filter(({ impact }) => SERIOUS.has(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  expect(serious).toEqual([]);
}

/** Expects no serious finding of axe in light mode, and none about colors in dark mode: nothing else differs between them. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await useScheme(page, 'dark');
  await expectAccessible(page, COLOR_RULES);
  await useScheme(page, 'light');
  await expectAccessible(page);
}

async function useScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}
