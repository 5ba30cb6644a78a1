/**
 * A real browser: Debian's Chromium, driven by playwright-core. A test file opens one, where `haveBrowser()`:
 *
 *   const browser = await openBrowser();
 *   afterAll(() => browser.close());
 *   const open = await browser.open(url, { dark: true, phone: true });
 *
 * `open.faults` must stay empty: it lists failures of the page's scripts, refusals of its policy, and requests to anything
 * but the appliance.
 */
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { haveTool } from './tools.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WITHIN_MS = 15_000;

/**
 * The popups of the address bar, which no test sees. Chromium loads their two pages for each context, which takes more
 * than half of the time that opening one of our pages takes.
 */
const UNSEEN = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** What Playwright turns off. Chromium heeds only the last --disable-features, so ours repeats that list. */
const OFF_FOR_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
/** A container has no user namespace and little /dev/shm. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  `--disable-features=${[...OFF_FOR_PLAYWRIGHT, ...UNSEEN].join(',')}`,
];

export interface Looks {
  dark?: boolean;
  phone?: boolean;
  /** The language of Accept-Language and of dates; American English by default. */
  locale?: string;
  /** The cookie of a session that is signed in, from its Set-Cookie. */
  cookie?: { name: string; value: string };
  /** Accepts any certificate, such as one that a test issued. */
  anyCertificate?: boolean;
  /** Installs a clock that runs as usual until `page.clock.fastForward` moves it on, as if the computer had slept. */
  ownClock?: boolean;
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** Problems so far: script errors, refusals of the policy, requests to other hosts. Must stay empty. */
  faults: string[];
  /**
   * Returns the violations of WCAG 2.2 AA that axe-core finds, one line each. Colours are checked in both themes, so the
   * page must be open in the light one.
   */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

export interface TestBrowser {
  open(url: string, looks?: Looks): Promise<OpenPage>;
  close(): Promise<void>;
}

/**
 * Chromium without the window around its pages, where that is installed: the same engine in the same version takes a
 * quarter less processor time.
 */
export const CHROMIUM = Bun.which('chromium-headless-shell') ?? Bun.which('chromium') ?? '';

export const haveBrowser = () => haveTool('chromium');

export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: CHROMIUM_FLAGS,
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
    locale: looks.locale ?? 'en-US',
    ignoreHTTPSErrors: looks.anyCertificate ?? false,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(WITHIN_MS);
  const { origin } = new URL(url);
  if (looks.cookie) await context.addCookies([{ ...looks.cookie, url: origin }]);
  if (looks.ownClock) await context.clock.install();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(`script: ${fault.message}`));
  // Requests that fail are left to the tests: some expect it.
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) {
      faults.push(`console: ${line.text()}`);
    }
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(origin) && !/^(data|about|blob):/.test(asked)) faults.push(`asked ${asked}`);
  });
  await page.goto(url);
  const session = await context.newCDPSession(page);
  return {
    page,
    context,
    faults,
    violations: () => listViolations(page, session),
    close: () => context.close(),
  };
}

/** Runs axe in an isolated world, to which the page's policy does not apply. The frame with the mail is left out. */
async function listViolations(page: Page, session: CDPSession): Promise<string[]> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  // The world lasts as long as the document, so axe may be loaded already.
  const { result } = await session.send('Runtime.evaluate', { expression: 'typeof axe', contextId });
  if (result.value === 'undefined') await session.send('Runtime.evaluate', { expression: AXE, contextId });
  // Without `preload`: no rule in use needs media or style sheets, and loading them would take a third of the time.
  const found = async (options: string) => {
    const { result } = await session.send('Runtime.evaluate', {
      contextId,
      awaitPromise: true,
      returnByValue: true,
      // Passed checks are not reported: that would take half of axe’s time.
      expression: `axe.run({ exclude: [['iframe']] }, { iframes: false, preload: false, resultTypes: ['violations'], ${options} }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.target, node.failureSummary].join(' '))))`,
    });
    return result.value as string[];
  };
  const all = "runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";
  const violations = await found(all);
  // The other theme differs only in colours.
  const reducedMotion = 'reduce';
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion });
  await shown(page);
  violations.push(...(await found("runOnly: { type: 'rule', values: ['color-contrast'] }")));
  await page.emulateMedia({ colorScheme: 'light', reducedMotion });
  await shown(page);
  return violations;
}

/** Waits until the theme is on the screen; otherwise axe may mix colours of both. */
function shown(page: Page): Promise<void> {
  return page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
