/** Both dashboards, and how their pages show what is timed. */
import { resolve } from 'node:path';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { findMailpitIds, findPosternIds, type Ids } from '../../beside/ids.ts';
import { type PictureServer, servePictures } from '../../beside/picture-server.ts';
import { findMailpitWithPages } from '../peers.ts';
import { startCapture, type Target } from '../targets.ts';

export interface Product {
  name: string;
  target: Target;
  url: string;
  /** Path of the list of all mail. */
  list: string;
  findIds: () => Promise<Ids>;
  /** Path of a message, with the list beside it. */
  message: (id: string) => string;
  /** JavaScript: whether rows of the list are in the document. */
  hasRows: string;
  /** JavaScript, a function of an id and its place in the list: the row's link, scrolled into the document. */
  findRow: string;
  /** JavaScript, a function of id, subject, whether it is HTML, and the frames that have loaded. */
  isShown: string;
}

/** A row is a link at its place in the virtual list. */
const POSTERN_ROW = `async (id, at) => {
  const list = document.querySelector('main section ul').parentElement;
  list.scrollTop = at * 76;
  for (let tries = 0; tries < 200; tries++) {
    const link = document.querySelector('main li a[href$="' + id + '"]');
    if (link) return link;
    await new Promise(requestAnimationFrame);
  }
  throw new Error('no row ' + at);
}`;

const POSTERN_SHOWN = `(id, subject, isHtml, loaded) => {
  if (document.querySelector('article h2')?.textContent !== subject) return false;
  const frame = document.querySelector('article iframe');
  if (isHtml) return frame !== null && loaded.has(frame) && frame.src.includes(id);
  return frame === null && document.querySelector('#tab-panel')?.textContent !== '';
}`;

const MAILPIT_ROW = `async (id) => document.getElementById(id)`;

const MAILPIT_SHOWN = `(id, subject, isHtml, loaded) => {
  if (document.querySelector('#message-view strong.text-spaces')?.textContent !== subject) return false;
  const frame = document.querySelector('#preview-html');
  if (isHtml) return frame !== null && loaded.has(frame);
  return frame === null && document.querySelector('#nav-plain-text .text-view')?.textContent !== '';
}`;

/** Starts ours, Mailpit if it can be built, and the earlier build of ours that `BENCH_BEFORE` names. */
async function startProducts(hasMailpit: boolean): Promise<Product[]> {
  const products = [await startOurs('Postern')];
  const before = process.env.BENCH_BEFORE;
  if (before) products.push(await startOurs('Before', resolve(before)));
  const mailpit = hasMailpit && (await findMailpitWithPages()?.());
  if (mailpit) {
    products.push({
      name: 'Mailpit',
      target: mailpit,
      url: mailpit.web!,
      list: '/',
      findIds: () => findMailpitIds(mailpit.web!),
      message: (id) => `/view/${id}`,
      hasRows: `document.querySelector('a.message') !== null`,
      findRow: MAILPIT_ROW,
      isShown: MAILPIT_SHOWN,
    });
  }
  return products;
}

async function startOurs(name: string, program?: string): Promise<Product> {
  const capture = await startCapture(program);
  const url = capture.web!;
  return {
    name,
    target: capture,
    url,
    list: '/dashboard/all',
    findIds: () => findPosternIds(url),
    message: (id) => `/dashboard/all/${id}`,
    hasRows: `document.querySelector('main li a') !== null`,
    findRow: POSTERN_ROW,
    isShown: POSTERN_SHOWN,
  };
}

export const isOurs = ({ name }: Product) => name !== 'Mailpit';

export interface Stage {
  browser: Browser;
  pictures: PictureServer;
  products: Product[];
}

export async function openStage(hasMailpit: boolean): Promise<Stage> {
  const pictures = servePictures();
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium')!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', pictures.flag],
  });
  return { browser, pictures, products: await startProducts(hasMailpit) };
}

export async function closeStage({ browser, pictures, products }: Stage): Promise<void> {
  await browser.close();
  pictures.stop();
  for (const { target } of products) await target[Symbol.asyncDispose]();
}

/** The machine may be busy with other work. */
const PATIENCE_MS = 90_000;

/** Opens a page in a context of its own, with nothing in its cache. */
export async function openAlone(browser: Browser): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return { page: await context.newPage(), context };
}

/** Waits until this JavaScript is true; Playwright's own wait evaluates in the page, which our policy refuses. */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const look = () => ((${expression}) ? done() : setTimeout(look, 15));
    look();
  })`);
}

/** Milliseconds of the page's main thread: in total, and for its named parts. */
export interface Cpu {
  all: number;
  script: number;
  style: number;
  layout: number;
}

/** Starts to measure the processor time of the page's main thread, which hardly depends on other work of the machine. */
export async function watchCpu(session: CDPSession): Promise<() => Promise<Cpu>> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async (): Promise<Cpu> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const find = (wanted: string) =>
      (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN) * 1000;
    return {
      all: find('TaskDuration'),
      script: find('ScriptDuration'),
      style: find('RecalcStyleDuration'),
      layout: find('LayoutDuration'),
    };
  };
  const before = await read();
  return async () => {
    const after = await read();
    const since = (part: keyof Cpu) => after[part] - before[part];
    return { all: since('all'), script: since('script'), style: since('style'), layout: since('layout') };
  };
}
