/** Measures scrolling in our list with more rows than the server ever returns at once, so that only the browser counts. */
import type { Browser } from 'playwright-core';
import type { MessageInList } from '../../../src/doors/dashboard/wire.ts';
import { type Cpu, openAlone, type Product, waitUntil, watchCpu } from './products.ts';

export interface Scrolling {
  frameMs: number[];
  /** Time of the page's main thread per frame. */
  cpu: Cpu;
  rowsInDocument: number;
  heapMb: number;
}

const LIST = '[aria-label="Messages, newest first"]';

export async function measureScrolling(
  browser: Browser,
  { url, list }: Product,
  rows: number,
  frames: number,
): Promise<Scrolling> {
  const { page, context } = await openAlone(browser);
  const data = Array.from({ length: rows }, (_, nth) => makeRow(nth));
  await page.route('**/dashboard/api/messages?*', (route) =>
    route.fulfill({ json: { data, pagination: { next_cursor: null, has_more: false } } }),
  );
  // First a page without a list: the browser preloads the list named in the document's headers, and must get ours later.
  await page.goto(`${url}/dashboard/trap`, { waitUntil: 'domcontentloaded' });
  await waitUntil(page, "document.querySelector('main h1') !== null");
  await page.evaluate(`history.pushState(null, '', '${list}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.locator(LIST).waitFor();
  const session = await context.newCDPSession(page);
  const readCpu = await watchCpu(session);
  const frameMs = (await page.evaluate(`(async () => {
    const list = document.querySelector('${LIST}');
    const times = [];
    for (let nth = 0, last = performance.now(); nth < ${frames}; nth++) {
      list.scrollTop += nth % 20 === 0 ? 200_000 : 900;
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times;
  })()`)) as number[];
  const cpu = await readCpu();
  for (const part of Object.keys(cpu) as (keyof Cpu)[]) cpu[part] /= frames;
  const rowsInDocument = await page.locator(`${LIST} li`).count();
  await session.send('HeapProfiler.collectGarbage');
  const heapMb = (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
  await context.close();
  return { frameMs, cpu, rowsInDocument, heapMb };
}

function makeRow(nth: number): MessageInList {
  return {
    id: `msg_${nth}`,
    inbox_id: 'inbox_1',
    address: 'box@b.test',
    envelope_recipient: 'box@b.test',
    from: `Sender ${nth} <s${nth}@b.test>`,
    subject: `Subject number ${nth}`,
    magic_link: null,
    received_at: new Date(Date.now() - nth * 1000).toISOString(),
    otp: nth % 3 === 0 ? String(100_000 + nth) : null,
    read: nth % 2 === 0,
    size: 100,
    attachment_count: 0,
    tags: nth % 7 === 0 ? ['nightly'] : [],
    snippet:
      'Hello Ann, here is what you asked for. It has a few words more than the row has room for, as mails do.',
    mail: `msg_${nth}`,
  };
}
