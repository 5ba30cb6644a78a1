/** Measures the first load: bytes, requests, and when anything and when the list is on the screen. */
import type { Browser } from 'playwright-core';
import { openAlone, type Product, watchCpu } from './products.ts';

export interface Load {
  /** Document, scripts, styles, fonts and pictures that the page requested before it had the list, with their headers. */
  pageBytes: number;
  /** Those that it requested afterwards, before anybody used it. */
  laterBytes: number;
  /** Bytes that the page requested from the API meanwhile. */
  dataBytes: number;
  requests: number;
  /** How the scripts were compressed. */
  coding: string;
  firstPaintMs: number;
  /** A frame with rows was painted. */
  listMs: number;
  /** Milliseconds of the page's main thread, until a second after the list. */
  cpuMs: number;
}

/** Runs before the page's own scripts. */
const noteList = (hasRows: string) => `
  globalThis.listAt = new Promise((done) => {
    const look = () => {
      if (!(${hasRows})) return;
      observer.disconnect();
      const inDocumentAt = performance.timeOrigin + performance.now();
      requestAnimationFrame(() => setTimeout(() => done({ inDocumentAt, listMs: performance.now() })));
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true });
  })`;

export async function measureLoad(browser: Browser, product: Product): Promise<Load> {
  const { page, context } = await openAlone(browser);
  const session = await context.newCDPSession(page);
  const load = { pageBytes: 0, laterBytes: 0, dataBytes: 0, requests: 0, coding: 'none' };
  const data = new Set<string>();
  const requestedAt = new Map<string, number>();
  const loaded: { id: string; bytes: number }[] = [];
  session.on('Network.responseReceived', ({ requestId, response: { mimeType, headers } }) => {
    // By its type, because Chromium reports a preload neither as a fetch nor as a document.
    if (/json|event-stream/.test(mimeType)) data.add(requestId);
    if (mimeType.includes('javascript'))
      load.coding = headers['content-encoding'] ?? headers['Content-Encoding'] ?? 'none';
  });
  session.on('Network.requestWillBeSent', ({ requestId, wallTime }) => {
    load.requests++;
    requestedAt.set(requestId, wallTime * 1000);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded.push({ id: requestId, bytes: encodedDataLength });
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const readCpu = await watchCpu(session);
  await page.addInitScript(noteList(product.hasRows));
  await page.goto(product.url + product.list, { waitUntil: 'load' });
  const { inDocumentAt, listMs } = (await page.evaluate('listAt')) as Record<string, number>;
  // Waits for whatever it loads after the list.
  await page.waitForTimeout(1_000);
  const { all: cpuMs } = await readCpu();
  for (const { id, bytes } of loaded) {
    const part = data.has(id)
      ? 'dataBytes'
      : requestedAt.get(id)! < inDocumentAt!
        ? 'pageBytes'
        : 'laterBytes';
    load[part] += bytes;
  }
  const firstPaintMs = (await page.evaluate(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
  )) as number;
  await context.close();
  return { ...load, firstPaintMs, listMs: listMs!, cpuMs };
}
