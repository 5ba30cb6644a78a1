/**
 * Opens pages of one server in the same page of the browser, one after the other. For each new page the browser starts a
 * process, and its scripts are compiled again, which takes a third of the time of a short test. Cookies, storage, routes
 * and the size are as in a new page. For tests that change nothing else, such as the clock or the scripts of the context.
 */
import type { Looks, OpenPage, TestBrowser } from './browser.ts';

type Size = { width: number; height: number };
type OpenKept = (url: string, looks?: Pick<Looks, 'cookie'>) => Promise<OpenPage>;

export function keepPage(browser: () => TestBrowser): OpenKept {
  let kept: OpenPage | undefined;
  let size: Size | null = null;
  return async (url, looks = {}) => {
    const before = kept;
    kept = undefined;
    if (before) {
      if (looks.cookie) await before.context.addCookies([{ ...looks.cookie, url: new URL(url).origin }]);
      await before.page.goto(url);
    }
    const opened = before ?? (await browser().open(url, looks));
    size ??= opened.page.viewportSize();
    const close = async () => {
      if (opened.page.isClosed()) return opened.close();
      await clear(opened, url);
      if (size) await opened.page.setViewportSize(size);
      kept = opened;
    };
    return { ...opened, close };
  };
}

async function clear({ page, context, faults }: OpenPage, url: string): Promise<void> {
  await Promise.all(context.pages().map((other) => other !== page && other.close()));
  await page.unrouteAll();
  await context.setOffline(false);
  // A document of the same server without scripts: what the page writes when it is left comes before.
  await page.goto(new URL('/healthz', url).href);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await context.clearCookies();
  faults.length = 0;
}
