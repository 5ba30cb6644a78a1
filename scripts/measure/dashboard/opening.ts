/** Measures the time from the click on a row to the frame that shows the message. */
import type { Browser } from 'playwright-core';
import { sampleMails } from '../../beside/samples.ts';
import { openAlone, type Product, waitUntil, watchCpu } from './products.ts';

export interface Opening {
  /** Milliseconds of each message. */
  textMs: number[];
  /** With its frame: until `load` of the document in it, so with its inline pictures. */
  htmlMs: number[];
  /** Milliseconds of the page's main thread per message; its frame may have a process of its own. */
  cpuMs: number;
  /** JavaScript objects that are still in use after all were opened. */
  heapMb: number;
}

/** How long a person holds a mouse button down. */
const PRESS_MS = 80;

const openTimed = ({ findRow, isShown }: Product) => `
  globalThis.loaded = new Set();
  // A frame may load before it is in the document's own tree, where no listener of the document notices it.
  const create = document.createElement;
  document.createElement = function (...asked) {
    const element = create.apply(this, asked);
    if (element.localName === 'iframe') element.addEventListener('load', () => void loaded.add(element));
    return element;
  };
  document.addEventListener('load', ({ target }) => void loaded.add(target), true);
  globalThis.openTimed = async (id, at, subject, isHtml) => {
    const row = await (${findRow})(id, at);
    loaded.clear();
    row.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0 }));
    await new Promise((done) => setTimeout(done, ${PRESS_MS}));
    return new Promise((done) => {
      const begin = performance.now();
      let isOver = false;
      const look = () => {
        if (isOver || !(${isShown})(id, subject, isHtml, loaded)) return;
        isOver = true;
        observer.disconnect();
        document.removeEventListener('load', look, true);
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      document.addEventListener('load', look, true);
      row.click();
    });
  }`;

/** Opens each message once, in a new page, so that nothing is in the page's memory or the browser's cache. */
export async function measureOpening(browser: Browser, product: Product, most: number): Promise<Opening> {
  const { page, context } = await openAlone(browser);
  const session = await context.newCDPSession(page);
  const ids = await product.findIds();
  const places = new Map([...ids.keys()].map((subject, at) => [subject, at]));
  const isOnce = ({ subject }: { subject: string }) =>
    subject !== '' && sampleMails.filter((other) => other.subject === subject).length === 1;
  // Not in the order of the list, because ours preloads the neighbour of a message that was opened by a key.
  const mails = sampleMails
    .filter((mail) => isOnce(mail) && ids.has(mail.subject))
    .toSorted((one, other) => Bun.hash.crc32(one.subject) - Bun.hash.crc32(other.subject))
    .slice(0, most);
  const other = ids.get('Re: Roll-out on Thursday')!;
  await page.goto(product.url + product.message(other), { waitUntil: 'domcontentloaded' });
  await waitUntil(page, product.hasRows);
  await page.evaluate(openTimed(product));
  const opening: Opening = { textMs: [], htmlMs: [], cpuMs: 0, heapMb: 0 };
  const readCpu = await watchCpu(session);
  for (const { subject, isHtml } of mails) {
    const wanted = JSON.stringify([ids.get(subject), places.get(subject), subject, isHtml]);
    opening[isHtml ? 'htmlMs' : 'textMs'].push((await page.evaluate(`openTimed(...${wanted})`)) as number);
    await page.waitForTimeout(60);
  }
  opening.cpuMs = (await readCpu()).all / mails.length;
  await session.send('HeapProfiler.collectGarbage');
  opening.heapMb = (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
  await context.close();
  return opening;
}
