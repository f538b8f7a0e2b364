/** The runtimes of the console: list, form, terminal, files, processes, ports, capabilities, network, states; in real sandboxes. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { Drydock } from '../../sdk/src/drydock.ts';
import { MCP_SERVER, publishCapability } from '../../server/test/capabilities.ts';
import { startTestServer } from '../../server/test/harness.ts';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeout.ts';
import { ConsoleBrowser, expectAccessibleInBothSchemes, type Visit } from './browser.ts';
import { expectHarmless } from './xss-payloads.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
const browser = await ConsoleBrowser.open(server);
const drydock = new Drydock({ baseUrl: browser.url, apiKey: server.owner.key });

const LIST = '/o/main/w/main/runtimes';
const LAB = `${LIST}/lab`;
const target = { org: 'main', workspace: 'main', runtime: 'lab' };
const ATTACK = '<img src=x onerror="window.__xss=1">';
const WAIT = { timeout: WAIT_TIMEOUT_MS };
const MAX_TABS = 60;
const MANIFEST =
  'mcp: {servers: {plain: {command: ./server.sh}}}\nworkers: {rest: "echo rested; sleep 600"}\n';

let visit: Visit;

const queryOf = (page: Page, key: string) => new URL(page.url()).searchParams.get(key);
const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
/** Finds a form field, but not its list of suggestions, which has the same label. */
const fieldOf = (page: Page | Locator, label: string) =>
  page.locator('input, textarea').and(page.getByLabel(label));
const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const run = async (command: string) => (await drydock.runtimes.exec(target, { command })).stdout;
const readFile = async (path: string) => (await drydock.runtimeFiles.get(target, { path })).text();
const put = (path: string, content: string | Uint8Array<ArrayBuffer>) =>
  drydock.runtimeFiles.put(
    target,
    { path },
    typeof content === 'string' ? new TextEncoder().encode(content) : content,
  );
const statusOf = async () => (await drydock.runtimes.get(target)).status;
const screen = (page: Page) => page.locator('.xterm-rows').innerText();
const row = (page: Page, name: string) => page.getByRole('row', { name });

/** Presses Tab until an element has the focus, as people without a mouse do. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if ((await wanted.first().and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} presses of Tab do not reach ${String(wanted)}`);
}

describe.skipIf(!available)('runtimes', () => {
  beforeAll(async () => {
    await publishCapability(me, { name: 'kit', manifest: MANIFEST, files: { 'server.sh': MCP_SERVER } });
    visit = await browser.signIn(LIST);
  });

  test('the form refuses bad input at its fields, and creates a runtime that is started', async () => {
    const { page } = visit;
    await page.getByText('No runtimes yet').waitFor();
    await button(page, 'Create the first runtime').click();
    await expect.poll(() => queryOf(page, 'new')).toBe('true');
    const dialog = page.getByRole('dialog');
    const field = (name: string) => fieldOf(dialog, name);
    const addTag = async (name: string, text: string) => {
      await field(name).fill(text);
      await field(name).press(',');
    };
    await addTag('Exposed ports', 'eighty');
    await button(dialog, 'Create the runtime').click();
    await dialog.getByText('Give the runtime a name.').waitFor();
    await dialog.getByText('“eighty” is not a port').waitFor();
    await expectAccessibleInBothSchemes(page);
    await field('Name').fill(`Lab ${ATTACK}`);
    await field('Key').fill('lab');
    await field('Exposed ports').press('Backspace');
    await addTag('Exposed ports', '8000');
    await addTag('Hosts it may reach', 'localhost');
    await field('Environment').fill('GREETING=hello');
    await button(dialog, 'Create the runtime').click();
    await dialog.getByText('localhost is not a public address').waitFor();
    await field('Hosts it may reach').press('Backspace');
    await addTag('Hosts it may reach', 'example.com');
    await button(dialog, 'Create the runtime').click();
    await page.getByRole('heading', { name: `Lab ${ATTACK}` }).waitFor();
    await page.getByText('It was not started yet.').waitFor();
    await button(page, 'Start').click();
    await page.getByText(/^Runs for/).waitFor();
    expect(await statusOf()).toBe('running');
    expect((await run('echo $GREETING')).trim()).toBe('hello');
    await expectHarmless(page);
  });

  test('the terminal runs commands, keeps its output over a reload, fits its size, and is left by keyboard', async () => {
    const { page } = visit;
    await openTab(page, 'Terminal');
    await page.getByText('Connected').waitFor();
    await tabTo(page, page.getByRole('textbox', { name: 'Terminal input' }));
    await page.keyboard.type('echo $((40+2))-done\n');
    await expect.poll(() => screen(page), WAIT).toContain('42-done');
    const terminal = queryOf(page, 'terminal');
    expect(terminal).not.toBeNull();
    await page.keyboard.press('Shift+F6');
    await button(page, 'Copy the selection').and(page.locator(':focus')).waitFor();
    await page.reload();
    await expect.poll(() => screen(page), WAIT).toContain('42-done');
    expect(queryOf(page, 'terminal')).toBe(terminal);
    const before = await page.locator('.xterm-rows > div').count();
    await page.setViewportSize({ width: 1100, height: 700 });
    await expect.poll(() => page.locator('.xterm-rows > div').count(), WAIT).toBeLessThan(before);
    await page.locator('.xterm').click();
    // Input may overtake a new size, which another process of the sandbox sets.
    const hasOwnSize = async () => {
      await page.keyboard.type('clear; stty size\n');
      const rows = await page.locator('.xterm-rows > div').count();
      return new RegExp(`^${rows} \\d+`, 'm').test(await screen(page));
    };
    await expect.poll(hasOwnSize, { ...WAIT, interval: 300 }).toBe(true);
    await page.setViewportSize({ width: 1360, height: 850 });
    await expectAccessibleInBothSchemes(page);
    await page.locator('.xterm').click();
    await page.keyboard.type('exit 3\n');
    await page.getByText('The program has ended with 3').waitFor();
    await button(page, 'Open a new terminal').click();
    await page.getByText('Connected').waitFor();
    await expect.poll(() => queryOf(page, 'terminal')).not.toBe(terminal);
    // Another page takes the terminal over, and it is taken back.
    const id = queryOf(page, 'terminal') ?? '';
    const other = await drydock.runtimes.openTerminal(target, { terminalId: id });
    await page.getByText('Another page has attached').waitFor();
    other.detach();
    await button(page, 'Continue it here').click();
    await page.getByText('Connected').waitFor();
  });

  test('files are uploaded, edited, renamed, downloaded and deleted, and their names and content are text', async () => {
    const { page } = visit;
    const name = `${ATTACK.replaceAll('"', '')}.txt`;
    await page.goto(`${LAB}?tab=files`);
    await page.getByText('This folder is empty').waitFor();
    await page.locator('input[type=file]').setInputFiles([
      { name, mimeType: 'text/plain', buffer: Buffer.from(`${ATTACK}\r\nsecond\r\n`) },
      { name: 'plain.txt', mimeType: 'text/plain', buffer: Buffer.from('plain\n') },
    ]);
    await button(page, name).click();
    await expect.poll(() => queryOf(page, 'file')).toBe(name);
    const editor = page.getByLabel(`Content of ${name}`);
    await expect.poll(() => editor.inputValue()).toBe(`${ATTACK}\nsecond\n`);
    await expectHarmless(page);
    await editor.fill(`${ATTACK}\nthird\n`);
    await button(page, 'Back to the folder').click();
    await button(page.getByRole('dialog'), 'Keep editing').click();
    await button(page, 'Save').click();
    await expect.poll(() => readFile(name), WAIT).toBe(`${ATTACK}\r\nthird\r\n`);
    // Something else writes to the file in between.
    await put(name, 'changed inside\n');
    await editor.fill('mine\n');
    await button(page, 'Save').click();
    await button(page.getByRole('dialog'), 'Overwrite it').click();
    await expect.poll(() => readFile(name), WAIT).toBe('mine\r\n');
    await button(page, 'Back to the folder').click();
    await expectHarmless(page);

    const downloads = page.waitForEvent('download');
    await button(page, `Download ${name}`).click();
    const download = await downloads;
    expect(readFileSync(await download.path(), 'utf8')).toBe('mine\r\n');
    await button(page, `Rename ${name}`).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('plain.txt');
    await button(dialog, 'Rename').click();
    await dialog.getByText('“plain.txt” exists here already').waitFor();
    await dialog.getByLabel('Name').fill('-renamed $(touch x)');
    await button(dialog, 'Rename').click();
    await button(page, '-renamed $(touch x)').waitFor();
    await button(page, 'New folder').click();
    await dialog.getByLabel('Name').fill('src');
    await button(dialog, 'Create the folder').click();
    await button(page, 'src').click();
    await expect.poll(() => queryOf(page, 'folder')).toBe('src');
    await drop(page, 'dropped.txt', 'dropped\n');
    await button(page, 'dropped.txt').waitFor();
    expect(await readFile('src/dropped.txt')).toBe('dropped\n');
    await button(page, 'workspace').click();
    for (const [entry, action] of [
      ['src', 'Delete the folder'],
      ['-renamed $(touch x)', 'Delete the file'],
    ] as const) {
      await button(page, `Delete ${entry}`).click();
      await button(dialog, action).click();
      await button(page, entry).waitFor({ state: 'hidden' });
    }
    expect((await run('ls -A')).trim()).toBe('plain.txt');
    await expectAccessibleInBothSchemes(page);
  });

  test('binary, large and missing files are not shown as text, and links out of the workspace are refused', async () => {
    const { page } = visit;
    await put('binary.bin', new Uint8Array([0, 1, 2, 255]));
    await put('huge.log', 'x'.repeat(1_000_001));
    await put('mixed.txt', 'one\r\ntwo\n');
    await run('ln -s /etc/passwd out');
    const shown = {
      'binary.bin': 'This file is not text',
      'huge.log': 'This file is too large to be shown',
      'mixed.txt': 'This file is shown without editing',
      out: 'leads out of /workspace',
      missing: 'Not found',
    };
    for (const [file, text] of Object.entries(shown)) {
      await page.goto(`${LAB}?tab=files&file=${file}`);
      await page.getByText(text).first().waitFor();
    }
  });

  test('a refused host is listed with its pattern, which is added to the configuration', async () => {
    const { page } = visit;
    await run('curl -s -m 20 http://blocked.example:8081/ || true');
    await page.goto(`${LAB}?tab=egress`);
    const refused = row(page, 'blocked.example');
    await refused.getByText('Refused').waitFor();
    await expectAccessibleInBothSchemes(page);
    await button(page, 'Allow from the next start on: blocked.example:8081').click();
    await refused.getByText('is in the configuration').waitFor();
    const { sandbox, runtime_server } = await drydock.runtimes.getConfig(target);
    expect(sandbox.egress_allow).toEqual(['example.com', 'blocked.example:8081']);
    expect(runtime_server.env).toEqual({ GREETING: 'hello' });
    await openTab(page, 'Overview');
    await page.getByText('The configuration has changed').waitFor();
    await page.getByRole('table', { name: 'Limits' }).getByText('The default of the platform').waitFor();
    await page.getByRole('table', { name: 'Sandboxes' }).getByText('Running').waitFor();
    await button(page, 'Find its sessions').click();
    await page.getByText('No session names this runtime').waitFor();
    await expectAccessibleInBothSchemes(page);
  });

  test('processes, the answer of a port, a capability and the log are shown, and a page of the sandbox runs no script', async () => {
    const { page } = visit;
    const html = `<h1>Hello from inside</h1><script>parent.__xss=1</script>${ATTACK}`;
    await put('web/index.html', html);
    await run(
      'cd web && (nohup python3 -m http.server 8000 >/dev/null 2>&1 &); (nohup sleep 987 >/dev/null 2>&1 &)',
    );
    await page.goto(`${LAB}?tab=processes`);
    const processes = page.getByRole('table', { name: 'Processes' });
    await processes.getByText('sleep 987').waitFor();
    // The command that reads them is left out.
    expect(await processes.getByText('cmdline').count()).toBe(0);
    await expectAccessibleInBothSchemes(page);
    await openTab(page, 'Ports');
    await page.frameLocator('iframe').getByText('Hello from inside').waitFor();
    expect(await page.evaluate(`'__xss' in window`)).toBe(false);
    await expectAccessibleInBothSchemes(page);
    await page.getByLabel('Port', { exact: true }).fill('8001');
    await button(page, 'Expose').click();
    await button(page, '8001').click();
    await page.getByText('Nothing answers at port 8001').waitFor();
    await openTab(page, 'Capabilities');
    await page.getByText('No capabilities').waitFor();
    await fieldOf(page, 'Install a capability').fill('kit');
    await button(page, 'Install').click();
    await button(page, 'List its tools: plain').click();
    await page.locator('li code').first().waitFor();
    await button(page, 'Start the worker rest').click();
    await button(page, 'Stop the worker rest').waitFor();
    await button(page, 'Log of the worker rest').click();
    await page.getByLabel('Log of rest').getByText('rested').waitFor();
    await expectAccessibleInBothSchemes(page);
    await openTab(page, 'Log');
    await page.getByRole('log').locator('time').first().waitFor();
    await expectAccessibleInBothSchemes(page);
  });

  test('a runtime is paused, resumed, kept alive, stopped and deleted, and a button that is disabled says why', async () => {
    const { page } = visit;
    await page.goto(LAB);
    const describedBy = async (name: string) => {
      const id = await button(page, name).getAttribute('aria-describedby');
      return id === null ? null : page.locator(`[id="${id}"]`).textContent();
    };
    await button(page, 'Resume').waitFor();
    expect(await describedBy('Resume')).toBe('The runtime is running already.');
    const slow = '**/lab/keepalive';
    await page.route(slow, async (route) => {
      await sleep(500);
      await route.continue();
    });
    await button(page, 'Keep alive 1 h').click();
    await expect.poll(() => describedBy('Pause'), WAIT).toBe('Another action is still in progress.');
    await button(page, 'Pause').click();
    await page.getByText('Paused: a user paused it').waitFor();
    await page.unroute(slow);
    expect(await describedBy('Keep alive 1 h')).toBe('The runtime is paused. Resume it first.');
    await openTab(page, 'Terminal');
    await page.getByText('The runtime is paused', { exact: true }).waitFor();
    await button(page, 'Resume').click();
    await page.getByText('Connected').waitFor();
    await withoutPause();
    await page.reload();
    await expect.poll(() => describedBy('Pause'), WAIT).toMatch(/^The provider “namespaces” cannot pause/);
    await tabTo(page, button(page, 'Pause'));
    await page.getByRole('tooltip').getByText('cannot pause a sandbox').waitFor();
    await button(page, 'Stop').click();
    await button(page.getByRole('dialog'), 'Stop the runtime').click();
    await page.getByText('The sandbox has ended').waitFor();
    expect(await statusOf()).toBe('idle');
    await button(page, 'Delete').click();
    await button(page.getByRole('dialog'), 'Delete the runtime').click();
    await page.getByText('No runtimes yet').waitFor();
  });

  test('the list is filtered and searched, opened by keyboard, and an unknown runtime leads back to it', async () => {
    const { page, errors } = visit;
    for (const name of ['Alpha', `Beta ${ATTACK}`])
      await drydock.runtimes.create({ org: 'main', workspace: 'main' }, { name });
    await page.goto(LIST);
    await row(page, 'Alpha').waitFor();
    await page.getByLabel('Search by name or key').fill('bet');
    await row(page, 'Alpha').waitFor({ state: 'hidden' });
    await expect.poll(() => queryOf(page, 'search')).toBe('bet');
    await tabTo(page, page.getByRole('row').nth(1));
    await page.keyboard.press(' ');
    await page.getByRole('complementary').getByText('It was not started yet.').waitFor();
    await expectHarmless(page);
    await expectAccessibleInBothSchemes(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Beta' }).waitFor();
    await page.goto(`${LIST}?state=paused`);
    await page.getByText('No matching runtimes').waitFor();
    await page.goto(`${LIST}/unknown?tab=files`);
    await page.getByRole('alert').getByText('Runtime "unknown" was not found.').waitFor();
    await page.getByRole('link', { name: 'Back to the runtimes' }).click();
    await row(page, 'Alpha').waitFor();
    // The browser itself reports the script of the previewed page, which it has blocked.
    expect(errors.filter((text) => !text.includes('about:srcdoc'))).toEqual([]);
  });
});

/** Makes the sandbox of the runtime one of a provider that cannot pause. */
async function withoutPause(): Promise<void> {
  const { instance } = await drydock.runtimes.get(target);
  const { id } = (await me.get('/org/main')).body;
  const { numUpdatedRows } = await server.db
    .updateTable('sandboxes')
    .set({ supports_pause: false })
    .where('organization_id', '=', id)
    .where('id', '=', instance?.sandbox_id ?? '')
    .executeTakeFirstOrThrow();
  expect(numUpdatedRows).toBe(1n);
}

/** Drops a file on the list, as a file manager does. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const args = [name, content].map((text) => JSON.stringify(text));
  const transfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${args[1]}], ${args[0]}));
    return data;
  })()`);
  await page.getByRole('group', { name: 'Files' }).dispatchEvent('drop', { dataTransfer: transfer });
}
