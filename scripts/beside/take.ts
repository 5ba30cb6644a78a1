/** Takes pictures of both products with the same mails: `scripts/screenshots beside [ROW…]`. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { startAppliance } from '../../test/start.ts';
import { findMailpitWithPages } from '../measure/peers.ts';
import { findMailpitIds, findPosternIds, type Ids } from './ids.ts';
import { shrinkPng } from './palette-png.ts';
import { servePictures } from './picture-server.ts';
import { comparedRows, type Row } from './rows.ts';
import { sendSamples } from './samples.ts';

const OUT = 'docs/pictures';
const FONTS = ['fonts-inter', 'fonts-noto-cjk', 'fonts-noto-core', 'fonts-noto-color-emoji'];

/** The fonts of a modern desktop, so that neither product is judged by a server's fonts. */
const fontsConfig = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>${['system-ui', 'sans-serif', 'sans']
  .map(
    (family) =>
      `<match target="pattern"><test name="family" compare="eq"><string>${family}</string></test><edit name="family" mode="prepend" binding="strong"><string>Inter</string><string>Noto Sans</string></edit></match>`,
  )
  .join('')}</fontconfig>`;

interface Product {
  name: 'postern' | 'mailpit';
  url: string;
  smtpPort: number;
  findIds: () => Promise<Ids>;
}

export async function takeBeside(wanted: readonly string[]): Promise<void> {
  const known = new Set(comparedRows.map(({ name }) => name));
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}; known: ${[...known].join(' ')}`);
  const rows = comparedRows.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  warnOfFonts();
  mkdirSync(OUT, { recursive: true });
  const pictures = servePictures();
  const browser = await launch(pictures.flag);
  try {
    await using trap = await startAppliance({ capture: {} });
    await takeProduct(browser, rows, {
      name: 'postern',
      url: trap.url,
      smtpPort: trap.smtpPort,
      findIds: () => findPosternIds(trap.url),
    });
    const startMailpit = findMailpitWithPages();
    if (startMailpit) {
      await using mailpit = await startMailpit();
      const url = mailpit.web!;
      const { smtpPort } = mailpit;
      await takeProduct(browser, rows, {
        name: 'mailpit',
        url,
        smtpPort,
        findIds: () => findMailpitIds(url),
      });
    }
  } finally {
    await browser.close();
    pictures.stop();
  }
}

function warnOfFonts(): void {
  const listed = Bun.which('fc-list') ? Bun.spawnSync(['fc-list', ':', 'family']).stdout.toString() : '';
  if (['Inter', 'Noto Sans CJK', 'Noto Color Emoji'].every((family) => listed.includes(family))) return;
  console.log(`Some writing systems will be shown as boxes. Install ${FONTS.join(' ')} first.`);
}

function launch(flag: string): Promise<Browser> {
  const fonts = resolve('.tools/beside-fonts.conf');
  writeFileSync(fonts, fontsConfig);
  return chromium.launch({
    executablePath: Bun.which('chromium')!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', flag],
    env: { ...(process.env as Record<string, string>), FONTCONFIG_FILE: fonts },
  });
}

async function takeProduct(browser: Browser, rows: readonly Row[], product: Product): Promise<void> {
  for (const row of rows.filter(({ isEmpty }) => isEmpty))
    await takePicture(browser, row, product, new Map());
  await sendSamples(product.smtpPort);
  const ids = await product.findIds();
  for (const row of rows.filter(({ isEmpty }) => !isEmpty)) await takePicture(browser, row, product, ids);
}

/** Takes a row's picture in a browser context of its own, so that rows do not affect one another. */
async function takePicture(browser: Browser, row: Row, { name, url }: Product, ids: Ids): Promise<void> {
  const { path, act, until } = row[name];
  const file = join(OUT, `beside-${row.name}-${name}.png`);
  const context = await browser.newContext({
    viewport: row.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    colorScheme: row.dark ? 'dark' : 'light',
    isMobile: row.phone ?? false,
    hasTouch: row.phone ?? false,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  try {
    await page.goto(url + path(ids), { waitUntil: 'domcontentloaded' });
    // Both keep a connection open, so the network is never idle.
    await page.waitForTimeout(800);
    await act?.(page);
    await page.locator(until).first().waitFor();
    // A mail's own frame is painted later than the page around it; on another tab it may exist but be hidden.
    for (const frame of page.frames().slice(1)) {
      const content = frame.locator('body :visible').first();
      await content.waitFor({ timeout: 5_000 }).catch(() => {});
    }
    await page.waitForTimeout(1_500);
    writeFileSync(file, shrinkPng(await page.screenshot()));
    console.log(`${file}: ${Math.round(statSync(file).size / 1000)} KB`);
  } catch (fault) {
    rmSync(file, { force: true });
    console.log(`${file}: SKIPPED, ${String(fault).split('\n')[0]}`);
  } finally {
    await context.close();
  }
}
