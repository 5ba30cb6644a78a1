/** What a web page of another site can do to a capture that needs no key, in a real browser: nothing. */
import { expect, test } from 'bun:test';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, haveBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';

/** Runs in the page: tries every way in which a page can reach another server, and returns what it could read. */
const ATTACK = `async (url) => {
  const list = url + '/api/v1/inboxes/ann@example.com/messages';
  const read = [];
  const attempt = async (name, run) => {
    try { const got = await run(); if (got) read.push(name + ': ' + got); } catch {}
  };
  await attempt('fetch', async () => (await fetch(list)).text());
  await attempt('fetch with cookies', async () => (await fetch(list, { credentials: 'include' })).text());
  await attempt('opaque fetch', async () => (await fetch(list, { mode: 'no-cors' })).text());
  await attempt('simple POST', async () => (await fetch(url + '/api/v1/inboxes', { method: 'POST', body: '{"routing_key":"stolen"}', headers: { 'content-type': 'text/plain' } })).text());
  await attempt('JSON POST', async () => (await fetch(url + '/api/v1/inboxes', { method: 'POST', body: '{"routing_key":"stolen"}', headers: { 'content-type': 'application/json' } })).text());
  await attempt('DELETE', async () => (await fetch(url + '/api/v1/inboxes/ann@example.com', { method: 'DELETE' })).text());
  await attempt('claiming wait as a picture', () => new Promise((done) => { const img = new Image(); img.onload = () => done('loaded'); img.onerror = () => done(''); img.src = list + '/wait?since=0&mark_read=true&require=message&timeout=1'; }));
  await attempt('script', () => new Promise((done) => { const tag = document.createElement('script'); tag.onload = () => done('loaded'); tag.onerror = () => done(''); tag.src = list; document.head.append(tag); }));
  await attempt('EventSource', () => new Promise((done) => { const source = new EventSource(url + '/api/v1/inboxes/ann@example.com/stream'); source.onmessage = (event) => done(event.data); source.onopen = () => done('opened'); source.onerror = () => { source.close(); done(''); }; }));
  await attempt('form', () => new Promise((done) => { const frame = document.createElement('iframe'); frame.name = 'sink'; document.body.append(frame); const form = document.createElement('form'); form.method = 'POST'; form.action = url + '/api/v1/inboxes'; form.target = 'sink'; form.enctype = 'text/plain'; const field = document.createElement('input'); field.name = '{"routing_key":"stolen","x":"'; field.value = '"}'; form.append(field); document.body.append(form); frame.onload = () => { let text = ''; try { text = frame.contentDocument.body.textContent; } catch {} done(text); }; form.submit(); }));
  await attempt('iframe', () => new Promise((done) => { const frame = document.createElement('iframe'); frame.onload = () => { let text = ''; try { text = frame.contentDocument.body.textContent; } catch {} done(text); }; frame.src = url + '/dashboard'; document.body.append(frame); setTimeout(() => done(''), 1000); }));
  return read;
}`;

test.skipIf(!haveBrowser())('a page of another site reads nothing and changes nothing', async () => {
  await using trap = await startAppliance({ capture: {} });
  const mail = { port: trap.smtpPort, from: 'a@x.example', to: ['ann@example.com'] };
  await sendMail({ ...mail, raw: 'Subject: secret\r\n\r\nYour code is 493817.\r\n' });
  const state = async () => ({
    inboxes: (await trap.request('GET', '/api/v1/inboxes')).json.data.map(
      ({ address }: { address: string }) => address,
    ),
    messages: (await trap.request('GET', '/api/v1/inboxes/ann@example.com/messages')).json.data,
  });
  const before = await state();
  using evil = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<!doctype html><body>evil', { headers: { 'content-type': 'text/html' } }),
  });
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium')!,
    // evil.test is another site; rebound.test is one whose name was pointed at this machine (DNS rebinding).
    args: [...CHROMIUM_FLAGS, '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
  try {
    const page = await browser.newPage();
    for (const origin of [
      `http://evil.test:${evil.port}`,
      `http://127.0.0.1:${evil.port}`,
      `http://localhost:${evil.port}`,
    ]) {
      await page.goto(origin);
      expect([origin, await page.evaluate(`(${ATTACK})(${JSON.stringify(trap.url)})`)]).toEqual([origin, []]);
    }
    const rebound = await page.goto(`http://rebound.test:${trap.httpPort}/api/v1/inboxes`);
    expect(rebound?.status()).toBe(403);
    expect(await rebound?.text()).not.toContain('ann@example.com');
  } finally {
    await browser.close();
  }
  expect(await state()).toEqual(before);
  expect(trap.logged.join('')).toContain('a web page of another site was refused');
  expect(trap.logged.join('')).toContain('a request to a foreign host name was refused');
});
