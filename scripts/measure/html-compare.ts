/**
 * `scripts/screenshots compare`: compares HTML mails as the dashboard shows them with the same HTML in Chromium, pixel by
 * pixel. Neither loads anything from elsewhere or runs a script. It prints a line for each mail, and stores pictures of
 * those that differ in .tools/screenshots/compare.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { goTo } from '../../test/doors/dashboard/screens.ts';
import { sendMail } from '../../test/peers/smtp-client.ts';
import { startAppliance } from '../../test/start.ts';
import { chooseMails, type HtmlMail, haveCorpora, withOwnPictures } from './html-mails.ts';

const OUT = '.tools/screenshots/compare';
/** The dashboard's tablet width. */
const WIDTH = 768;
/** Height of the window in CSS pixels, which a mail may fill. */
const WINDOW_HEIGHT = 900;
/** Higher mails are compared only down to here. */
const HEIGHT_MAX = 4_000;
/** The share of pixels that may differ: two runs of the same page differ by no more. */
const DIFFERENT_MAX = 0.001;
const MATCHING_MIN = 55;

export async function compareMails(): Promise<void> {
  if (!haveCorpora()) {
    console.log('SKIPPED: ../shared/corpus is missing');
    return;
  }
  mkdirSync(OUT, { recursive: true });
  const mails = await chooseMails();
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium')!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  await using trap = await startAppliance({ capture: {} });
  using asSent = serve();
  const ours = await browser.newPage({ viewport: { width: 1440, height: WINDOW_HEIGHT } });
  const theirs = await browser.newPage({
    viewport: { width: WIDTH, height: WINDOW_HEIGHT },
    javaScriptEnabled: false,
  });
  const judge = await browser.newPage();
  ours.setDefaultTimeout(60_000);
  await ours.goto(`${trap.url}/dashboard/all`);
  let matching = 0;
  for (const [index, mail] of mails.entries()) {
    const before = await listIds(trap);
    const to = 'compare@postern.test';
    await sendMail({ port: trap.smtpPort, from: 'a@b.example', to: [to], raw: Buffer.from(mail.raw) });
    const id = (await listIds(trap)).find((each) => !before.includes(each));
    if (id === undefined) throw new Error(`${mail.name} was not stored`);
    asSent.html = await withOwnPictures(mail);
    await theirs.goto(`${asSent.url}${index}`);
    const expected = await theirs.screenshot({ fullPage: true });
    const shown = await shootFrame(ours, id);
    const { share, heights } = await countDifferent(judge, shown, expected);
    const isMatching = share <= DIFFERENT_MAX;
    if (isMatching) matching += 1;
    else keep(mail, index, { ours: shown, chromium: expected });
    const found = isMatching
      ? 'matches'
      : `${(share * 100).toFixed(2)} % differ, ${heights.join(' and ')} px high`;
    console.log(`${String(index + 1).padStart(2)} ${mail.name}: ${found}`);
  }
  console.log(`${matching} of ${mails.length} match; the aim is ${MATCHING_MIN} of 60`);
  await browser.close();
  if (matching < MATCHING_MIN) process.exitCode = 1;
}

async function listIds(trap: Awaited<ReturnType<typeof startAppliance>>): Promise<string[]> {
  const { json } = await trap.request('GET', '/dashboard/api/messages?limit=100');
  return json.data.map(({ id }: { id: string }) => id);
}

/** Takes Chromium's own rendering: the HTML as it was sent, under a policy that only blocks everything from elsewhere. */
function serve() {
  const served = { html: '', url: '', [Symbol.dispose]: () => void server.stop(true) };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(served.html, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
        },
      }),
  });
  served.url = `http://127.0.0.1:${server.port}/`;
  return served;
}

/** Makes the frame as high as the other's window, or as the mail. */
async function shootFrame(page: Page, id: string): Promise<Buffer> {
  await page.setViewportSize({ width: 1440, height: WINDOW_HEIGHT });
  await goTo(page, `/dashboard/all/${id}`);
  const frame = page.locator(`iframe[src*="${id}"]`);
  await page.getByRole('button', { name: 'Tablet' }).click();
  // So that the frame is at whole pixels, like the other page.
  const grow = page.getByRole('button', { name: 'Full page', exact: true });
  if (await grow.isVisible()) await grow.click();
  const settle = async () => {
    for (let last = '', now = '', still = 0; still < 3; last = now) {
      await page.evaluate('new Promise((done) => setTimeout(done, 120))');
      const box = await frame.boundingBox();
      now = JSON.stringify(box);
      still = now === last && box !== null && box.height > 10 ? still + 1 : 0;
    }
    return (await frame.boundingBox())!;
  };
  const { y, height } = await settle();
  await page.setViewportSize({ width: 1440, height: Math.ceil(y + Math.max(height, WINDOW_HEIGHT)) });
  await settle();
  return frame.screenshot();
}

interface Difference {
  share: number;
  heights: number[];
}

/** Compares two pictures in a page, which can read them without a library. */
async function countDifferent(page: Page, ours: Buffer, theirs: Buffer): Promise<Difference> {
  const addresses = [ours, theirs].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  return (await page.evaluate(`(async () => {
    const pictures = await Promise.all(${JSON.stringify(addresses)}.map(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return image;
    }));
    const heights = pictures.map(({ height }) => height);
    // A mail that is cut off differs by the missing part. Below a short mail, its background continues.
    const height = Math.min(heights[1], ${HEIGHT_MAX});
    const [a, b] = pictures.map((image) => {
      const canvas = new OffscreenCanvas(${WIDTH}, height);
      const context = canvas.getContext('2d');
      context.fillStyle = '#fff';
      context.fillRect(0, 0, ${WIDTH}, height);
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, ${WIDTH}, height).data;
    });
    let different = 0;
    for (let at = 0; at < a.length; at += 4) {
      if (Math.abs(a[at] - b[at]) + Math.abs(a[at + 1] - b[at + 1]) + Math.abs(a[at + 2] - b[at + 2]) > 24) different += 1;
    }
    return { share: different / (${WIDTH} * height), heights };
  })()`)) as Difference;
}

function keep({ name }: HtmlMail, index: number, pictures: Record<string, Buffer>): void {
  const stem = `${OUT}/${index + 1}-${name.replace(/\W+/g, '-')}`;
  for (const [whose, bytes] of Object.entries(pictures)) writeFileSync(`${stem}-${whose}.png`, bytes);
}
