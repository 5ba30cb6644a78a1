/** The hostile mails in Firefox, which has its own parser and policies: nothing runs or leaves there either. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeFrameHeaders } from '../../../src/doors/dashboard/frame.ts';
import { PAGE_CSP } from '../../../src/doors/dashboard/page-routes.ts';
import { type Firefox, haveFirefox, openFirefox } from '../../peers/firefox.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { composeHostile, listHostile, startCanary } from './hostile-mails.ts';

const hasFirefox = haveFirefox();
const START_MS = 120_000;
let trap: RunningAppliance;
let firefox: Firefox;
const canary = startCanary();
const { bird } = canary;
const mails = listHostile(bird);
/** Serves pages of frames, and each mail as it was sent under the frame's policy alone. */
const pages = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url);
    const frames = mails.map((_, index) => `<iframe src="/sent/${index}"></iframe>`).join('');
    if (pathname === '/frames')
      return new Response(frames, {
        headers: { 'content-type': 'text/html', 'content-security-policy': PAGE_CSP },
      });
    const sent = mails[Number(pathname.split('/').at(-1))]?.html ?? '';
    return new Response(sent, { headers: makeFrameHeaders(false, 'framed') });
  },
});

beforeAll(async () => {
  if (!hasFirefox) return;
  [trap, firefox] = await Promise.all([startAppliance({ capture: {} }), openFirefox()]);
  await trap.request('POST', '/dashboard/api/inboxes', { body: { routing_key: 'victim' } });
}, START_MS);
afterAll(async () => {
  await firefox?.[Symbol.asyncDispose]();
  await trap?.[Symbol.asyncDispose]();
  await Promise.all([canary.stop(), pages.stop(true)]);
});

async function askedBy(url: string): Promise<string[]> {
  canary.asked.length = 0;
  await firefox.open(url);
  await fetch(`${bird}/end`);
  return canary.asked.map(({ path }) => path).filter((path) => path !== '/end');
}

const deliver = (html: string) => trap.deliver('victim@postern.test', { has_html: true, content: { html } });

describe.skipIf(!hasFirefox)('in Firefox', () => {
  test(
    'the canary is reached when nothing protects the page',
    async () => {
      const corpus = composeHostile(bird);
      canary.unguarded = ['script', 'remote images', 'iframe and object']
        .map((name) => corpus[name])
        .join('');
      const paths = await askedBy(`${bird}/unguarded`);
      expect(paths).toContain('/ran');
      expect(paths).toContain('/open.gif');
    },
    START_MS,
  );

  test(
    'a hostile mail can send nothing under the frame’s policy alone',
    async () => {
      expect(await askedBy(`http://127.0.0.1:${pages.port}/frames`)).toEqual([]);
    },
    START_MS,
  );

  test(
    'a hostile mail sends no request from the dashboard, and its frame has the height of its content',
    async () => {
      const tall = await deliver(`<div style="height:1234px">tall</div>${composeHostile(bird).script}`);
      canary.asked.length = 0;
      await firefox.open(`${trap.url}/dashboard/all/${tall}`);
      const height = await firefox.evaluate(`new Promise((done) => {
        const look = () => {
          const height = document.querySelector('iframe')?.clientHeight ?? 0;
          if (height > 1200) done(height);
          else setTimeout(look, 50);
        };
        look();
      })`);
      expect(Number(height)).toBe(1250);
      const ids = await Promise.all(mails.map(({ html }) => deliver(html)));
      // All at once, each in a frame like the one above, on the page that has its policy.
      const loaded = await firefox.evaluate(`Promise.all(${JSON.stringify(ids)}.map((id) => {
        const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts';
        frame.src = '/dashboard/api/messages/' + id + '/frame';
        const loads = new Promise((done) => { frame.onload = done; });
        document.body.append(frame);
        return loads;
      })).then(({ length }) => length)`);
      expect(Number(loaded)).toBe(mails.length);
      await fetch(`${bird}/end`);
      expect(canary.asked.map(({ path }) => path)).toEqual(['/end']);
    },
    2 * START_MS,
  );
});
