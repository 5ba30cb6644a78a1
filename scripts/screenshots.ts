/** Pictures of every screen of the dashboard, in .tools/screenshots: `scripts/screenshots [NAME…]`. */
import { mkdirSync } from 'node:fs';
import { mail_screens, seedMail } from '../test/dashboard/screens.ts';
import { openBrowser } from '../test/peers/browser.ts';
import { startAppliance } from '../test/start.ts';

const OUT = '.tools/screenshots';
const wanted = process.argv.slice(2);
mkdirSync(OUT, { recursive: true });
await using trap = await startAppliance({ capture: {} });
const seeded = await seedMail(trap);
const browser = await openBrowser();
for (const phone of [false, true]) {
  for (const dark of [false, true]) {
    const open = await browser.open(`${trap.url}/dashboard`, { phone, dark });
    for (const { name, path, act, until } of mail_screens) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const file = `${OUT}/${name}-${phone ? 'phone' : 'desktop'}-${dark ? 'dark' : 'light'}.png`;
      try {
        await open.page.goto(trap.url + path(seeded));
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
await browser.close();
console.log(`${OUT}: done`);
process.exit(0);
