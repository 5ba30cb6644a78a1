/** The reference at /docs: all of the document, nothing from another host, no script. */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { api } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';
import { html, renderJson, renderProse } from '../../src/platform/http/reference/html.ts';
import { renderReference } from '../../src/platform/http/reference/page.ts';
import { startAppliance } from '../start.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(api.routes, api.events)));

describe('/docs', () => {
  test('is served without a key, under a policy that lets nothing run, load or frame it', async () => {
    await using appliance = await startAppliance();
    const { status, headers, text } = await appliance.request('GET', '/docs', {
      headers: { accept: 'text/html' },
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy') ?? '';
    const directives = policy.split('; ').map((one) => one.split(' ')[0]);
    expect(directives).toEqual(['default-src', 'style-src', 'base-uri', 'form-action', 'frame-ancestors']);
    expect(policy).toStartWith("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(text.match(/<style/g)).toHaveLength(1);
  });

  test('has the address at which it was requested in its examples', async () => {
    await using appliance = await startAppliance();
    const urlAt = async (host: string) => {
      const { text } = await appliance.request('GET', '/docs', { headers: { accept: 'text/html', host } });
      return /URL=(\S+)/.exec(text)?.[1];
    };
    const { host } = new URL(appliance.url);
    expect(await urlAt(host)).toBe(appliance.url);
    expect(await urlAt('trap.localhost:18025')).toBe('http://trap.localhost:18025');
    const headers = { accept: 'text/html', host: '<script>' };
    const refused = await appliance.request('GET', '/docs', { headers });
    expect([refused.status, refused.text]).toEqual([400, '']);
    await using behind = await startAppliance({ settings: { base_url: 'https://mail.example.com' } });
    const { text } = await behind.request('GET', '/docs', { headers: { accept: 'text/html' } });
    expect(text).toContain('URL=https://mail.example.com\n');
  });

  test('differs under another host name only in that address, and is not loaded again by a browser that has it', async () => {
    await using appliance = await startAppliance();
    const load = (headers: Record<string, string>) =>
      appliance.request('GET', '/docs', { headers: { accept: 'text/html', ...headers } });
    const own = await load({});
    const named = await load({ host: 'trap.localhost:18025' });
    expect(named.text).toBe(own.text.replace(appliance.url, 'http://trap.localhost:18025'));
    const etag = named.headers.get('etag') ?? '';
    expect(etag).not.toBe(own.headers.get('etag') ?? '');
    const again = await load({ host: 'trap.localhost:18025', 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await load({ host: 'other.localhost', 'if-none-match': etag })).status).toBe(200);
  });

  test('refers to no other host, and has nothing inline that the policy would block', () => {
    const page = renderReference(document);
    for (const [, attribute = '', value = ''] of page.matchAll(/\s(src|href|action|srcset)="([^"]*)"/g))
      expect([attribute, value]).toEqual([attribute, expect.stringMatching(/^(#|\/)/)]);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\sstyle="|\son\w+="|@import|url\(/i);
  });

  test('describes every operation, webhook, schema, code and parameter, and none of its links is broken', () => {
    const page = renderReference(document);
    const ids = new Set(Array.from(page.matchAll(/\sid="([^"]+)"/g), ([, id]) => id));
    for (const { name, query } of api.routes) {
      expect(ids.has(name)).toBe(true);
      for (const parameter of Object.keys(query)) expect(page).toContain(`<code>${parameter}</code>`);
    }
    for (const [name, { properties = {} }] of Object.entries<{ properties?: object }>(
      document.components.schemas,
    )) {
      const section = page.split(`id="schema-${name}"`)[1]?.split('</section>')[0];
      for (const field of Object.keys(properties))
        expect([name, section]).toEqual([name, expect.stringContaining(`<code>${field}</code>`)]);
    }
    expect([ids.has('emailReceived'), ids.has('webhookTest')]).toEqual([true, true]);
    const links = Array.from(page.matchAll(/href="#([^"]+)"/g), ([, target]) => target);
    expect(links.filter((target) => !ids.has(target))).toEqual([]);
    for (const code of ['slug_taken', 'wait_capacity', 'webhook_ssrf_rejected']) expect(page).toContain(code);
    expect(page).not.toMatch(/undefined|\[object Object\]|NaN/);
  });

  test('shows what is in the envelope of a response, and every form of a union', () => {
    const page = renderReference(document);
    const [, operation = ''] = page.split('id="getMessage"');
    expect(operation.split('</section>')[0]).toContain('href="#schema-Message"');
    const [, union = ''] = page.split('id="schema-VerifyBatch"');
    expect(union.split('</section>')[0]).toContain('href="#schema-VerifyText"');
  });

  test('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, end, name = ''] of renderReference(document).matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (name === 'meta') continue;
      if (end === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

describe('a text on the reference page', () => {
  test('is escaped wherever it comes from', () => {
    const bad = `<img src=x onerror="alert('1')">&`;
    expect(html`<p title="${bad}">${bad}</p>`.text).not.toContain('<img');
    expect(html`${[bad, html`<b>${bad}</b>`]}`.text).toBe(
      '&lt;img src=x onerror=&quot;alert(&#x27;1&#x27;)&quot;&gt;&amp;<b>&lt;img src=x onerror=&quot;alert(&#x27;1&#x27;)&quot;&gt;&amp;</b>',
    );
    for (const part of [...renderProse(bad), renderJson({ [bad]: bad })])
      expect(part.text).not.toContain('<img');
  });

  test('has backticks turned into code and blank lines into paragraphs', () => {
    expect(renderProse('a `b` c\n\nd').map(({ text }) => text)).toEqual([
      '<p>a <code>b</code> c</p>',
      '<p>d</p>',
    ]);
  });

  test('that is JSON is unchanged except for its colours', () => {
    const value = { a: 'x "y" 1', b: [1, -2.5e3, true, null], c: {} };
    const plain = renderJson(value)
      .text.replace(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"');
    expect(JSON.parse(plain)).toEqual(value);
  });
});
