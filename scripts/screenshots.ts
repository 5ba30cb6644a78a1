/**
 * Takes pictures of every dashboard screen, in .tools/screenshots: `scripts/screenshots [NAME…]`.
 * `scripts/screenshots readme` takes the two in docs/pictures that README.md shows, `scripts/screenshots beside [ROW…]`
 * takes those of Postern's and Mailpit's dashboards, and `scripts/screenshots compare` compares HTML mails with Chromium's
 * own rendering (scripts/measure/html-compare.ts).
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { makeCookie, makeScene, ownerScreens } from '../test/doors/dashboard/scene.ts';
import { mailScreens, seedMail } from '../test/doors/dashboard/screens.ts';
import { type Looks, openBrowser } from '../test/peers/browser.ts';
import { startAppliance } from '../test/start.ts';
import { takeBeside } from './beside/take.ts';

const OUT = '.tools/screenshots';
const wanted = process.argv.slice(2);

interface Shot {
  name: string;
  url: string;
  act?: ((page: Page) => Promise<unknown>) | undefined;
  until: string;
}

if (wanted[0] === 'beside') {
  await takeBeside(wanted.slice(1));
  process.exit(0);
}
if (wanted.includes('compare')) {
  const { compareMails } = await import('./measure/html-compare.ts');
  await compareMails();
  process.exit();
}
const browser = await openBrowser();

async function shoot(shots: readonly Shot[], looks: Looks): Promise<void> {
  const chosen = shots.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  if (chosen.length === 0) return;
  for (const phone of [false, true]) {
    for (const dark of [false, true]) {
      const open = await browser.open(chosen[0]!.url, { ...looks, phone, dark });
      for (const { name, url, act, until } of chosen) {
        const file = `${OUT}/${name}-${phone ? 'phone' : 'desktop'}-${dark ? 'dark' : 'light'}.png`;
        try {
          await open.page.goto(url);
          await open.page.locator('main, aside').first().waitFor({ state: 'attached' });
          await open.page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
          await act?.(open.page);
          await open.page.locator(until).first().waitFor({ timeout: 3_000 });
          await open.page.screenshot({ path: file });
        } catch (fault) {
          console.error(`${file}: ${String(fault).split('\n')[0]}`);
        }
      }
      for (const fault of open.faults) console.error(fault);
      await open.close();
    }
  }
}

/** The two pictures in README.md: a message with its code, in the light and the dark theme. */
async function shootReadme(url: string): Promise<void> {
  const folder = 'docs/pictures';
  mkdirSync(folder, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    const open = await browser.open(url, { dark: theme === 'dark' });
    await open.page.setViewportSize({ width: 1280, height: 640 });
    await open.page.locator('text=493817').first().waitFor();
    await open.page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
    await open.page.screenshot({ path: `${folder}/dashboard-${theme}.png` });
    for (const fault of open.faults) console.error(fault);
    await open.close();
  }
  await browser.close();
  console.log(`${folder}: done`);
}

mkdirSync(OUT, { recursive: true });
await using trap = await startAppliance({ capture: {} });
const seeded = await seedMail(trap);
if (wanted.includes('readme')) {
  await shootReadme(`${trap.url}/dashboard/all/${seeded.messages['Your verification code']}`);
  process.exit(0);
}
await shoot(
  mailScreens.map(({ path, ...screen }) => ({ ...screen, url: trap.url + path(seeded) })),
  {},
);
await using scene = await makeScene();
const shots = ownerScreens.map(({ path, ...screen }) => ({
  ...screen,
  url: scene.appliance.url + path(scene),
}));
await shoot(
  shots.filter(({ as }) => as === 'nobody'),
  {},
);
await shoot(
  shots.filter(({ as }) => as === 'ann'),
  { cookie: makeCookie(scene.ann.visitor) },
);
await shoot(
  shots.filter(({ as }) => as === 'eve'),
  { cookie: makeCookie(scene.eve.visitor) },
);
await browser.close();
console.log(`${OUT}: done`);
process.exit(0);
