import { expect, test } from 'bun:test';
import { chromium } from 'playwright-core';
import { CHROMIUM, CHROMIUM_FLAGS, haveBrowser } from './browser.ts';

/** Features of other systems and other browsers. */
const ELSEWHERE = /Win$|^ms/;

test.skipIf(!haveBrowser())(
  'the browser of a test turns off everything that Playwright turns off',
  async () => {
    const server = await chromium.launchServer({
      executablePath: CHROMIUM,
      args: CHROMIUM_FLAGS,
    });
    const { spawnargs } = server.process();
    await server.close();
    const [theirs, ours] = spawnargs
      .filter((arg) => arg.startsWith('--disable-features='))
      .map((arg) => arg.slice('--disable-features='.length).split(','));
    expect(theirs!.filter((name) => !ours!.includes(name) && !ELSEWHERE.test(name))).toEqual([]);
  },
);
