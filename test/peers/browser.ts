/**
 * A real browser: Debian's Chromium, driven by playwright-core. One for a whole test file:
 *
 *   const browser = await openBrowser();          // null where there is none: the tests are left out
 *   afterAll(() => browser?.close());
 *   const page = await browser.page(appliance, { dark: true, phone: true });
 *
 * A page fails its test when its script fails, when the policy of the page refuses something, or when it asks anybody
 * but the appliance.
 */
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { haveTool } from './tools.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WITHIN_MS = 15_000;

export interface Looks {
  dark?: boolean;
  phone?: boolean;
  /** A signed-in session's cookie, as Set-Cookie names it. */
  cookie?: { name: string; value: string };
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** What went wrong so far: faults of scripts, refusals of the policy, requests to others. Must stay empty. */
  faults: string[];
  /** What axe-core says against WCAG 2.2 AA, one line each. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

export interface TestBrowser {
  open(url: string, looks?: Looks): Promise<OpenPage>;
  close(): Promise<void>;
}

export const haveBrowser = () => haveTool('chromium');

export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium')!,
    // In a container there is neither a user namespace nor much of /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  return {
    open: (url, looks = {}) => openPage(browser, url, looks),
    close: () => browser.close(),
  };
}

async function openPage(browser: Browser, url: string, looks: Looks): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: looks.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    colorScheme: looks.dark ? 'dark' : 'light',
    hasTouch: looks.phone ?? false,
    isMobile: looks.phone ?? false,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(WITHIN_MS);
  const { origin } = new URL(url);
  if (looks.cookie) await context.addCookies([{ ...looks.cookie, url: origin }]);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(`script: ${fault.message}`));
  page.on('console', (line) => line.type() === 'error' && faults.push(`console: ${line.text()}`));
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(origin) && !/^(data|about|blob):/.test(asked)) faults.push(`asked ${asked}`);
  });
  await page.goto(url);
  return {
    page,
    context,
    faults,
    violations: () => violationsOf(page),
    close: () => context.close(),
  };
}

/** axe runs in a world of its own, so the policy of the page does not concern it; the mail's frame is left out. */
async function violationsOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = (await session.send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
  const { executionContextId } = (await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  })) as { executionContextId: number };
  await session.send('Runtime.evaluate', { expression: AXE, contextId: executionContextId });
  const { result } = (await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run({ exclude: [['iframe']] }, {
      iframes: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`,
  })) as { result: { value: string[] } };
  await session.detach();
  return result.value;
}
