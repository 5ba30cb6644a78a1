/**
 * A real browser: Debian's Chromium, driven by playwright-core. One for a whole test file:
 *
 *   const browser = await openBrowser();          // null where there is none: the tests are skipped
 *   afterAll(() => browser?.close());
 *   const page = await browser.page(appliance, { dark: true, phone: true });
 *
 * A page fails its test when its script fails, when its policy refuses something, or when it sends a request to
 * anything but the appliance.
 */
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { haveTool } from './tools.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const WITHIN_MS = 15_000;

/**
 * The popups of an address bar that no test sees: Chromium loads their two pages anew for each context, which takes
 * more than half of the time of opening one of ours.
 */
const UNSEEN = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** What Playwright turns off, with its reasons. Chromium heeds only the last --disable-features, so ours repeats it. */
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
  /** What the browser accepts, and writes dates in; American English otherwise. */
  locale?: string;
  /** A signed-in session's cookie, as Set-Cookie names it. */
  cookie?: { name: string; value: string };
  /** Accepts a certificate of a test. */
  anyCertificate?: boolean;
  /** Time passes as everywhere, and `page.clock.fastForward` puts it forward, as if the computer had slept. */
  ownClock?: boolean;
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** Problems so far: script errors, refusals of the policy, requests to other hosts. Must stay empty. */
  faults: string[];
  /**
   * Violations of WCAG 2.2 AA that axe-core finds, one line each; colours in both themes. The page must be opened in
   * the light theme.
   */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

export interface TestBrowser {
  open(url: string, looks?: Looks): Promise<OpenPage>;
  close(): Promise<void>;
}

/**
 * Where it is installed, Chromium without the browser around its pages, which tests never see: the same engine in the
 * same version takes a quarter less processor time.
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
  // The test itself checks whether a refusal was expected.
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

/** axe runs in an isolated world, so the page's policy does not apply to it. The mail's frame is left out. */
async function listViolations(page: Page, session: CDPSession): Promise<string[]> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  // The world stays the same as long as the document does.
  const { result } = await session.send('Runtime.evaluate', { expression: 'typeof axe', contextId });
  if (result.value === 'undefined') await session.send('Runtime.evaluate', { expression: AXE, contextId });
  // No rule in use needs preloaded media or style sheets, which would take a third of its time.
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
