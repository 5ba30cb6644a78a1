import { createHash } from 'node:crypto';
import type { Json } from '../openapi-schema.ts';
import { html, renderProse } from './html.ts';
import { type Media, type Operation, renderOperation } from './operation.ts';
import { renderFieldList, renderType } from './schema.ts';
import { style } from './style.ts';

/*
 * The API reference at /docs, rendered here from the OpenAPI document: no script, nothing from another host, one
 * style whose hash the policy names. A ready-made renderer would be megabytes and need inline styles.
 */

interface Tag {
  name: string;
  description: string;
}

interface Document {
  info: { title: string; version: string; description: string };
  servers: [{ url: string }];
  tags: Tag[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** Renders the OpenAPI document as a page. `url` is the server's, for the examples. */
export function renderReference(source: unknown, url = 'http://127.0.0.1:8025'): string {
  const document = JSON.parse(JSON.stringify(source)) as Document;
  const { info, tags, components, servers } = document;
  const place = `${servers[0].url.replace(/\/$/, '')}/api/v1/openapi.json`;
  const entries = [...listEntries(document.paths), ...listEntries(document.webhooks ?? {})];
  for (const { operation } of entries) {
    for (const { content = {} } of Object.values(operation.responses))
      for (const media of Object.values(content)) openEnvelope(media, components.schemas);
  }
  const byTag = tags.map((tag) => ({
    tag,
    here: entries.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${info.title} API v${info.version}</title>
<style>`;
  const rest = html`</style></head><body>
<a class="skip" href="#main">Skip to operations</a>
<nav aria-label="Operations"><details open><summary>${info.title} API v${info.version}</summary>
  ${byTag.map(
    ({ tag, here }) =>
      html`<h2>${tag.name}</h2><ul>${here.map(
        ({ operation, method }) =>
          html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span>${operation.summary}</a></li>`,
      )}</ul>`,
  )}
  <h2>Schemas</h2><ul>${Object.keys(components.schemas).map(
    (name) => html`<li><a href="#schema-${name}">${name}</a></li>`,
  )}</ul></details></nav>
<main id="main"><header><h1>${info.title} API</h1>${renderProse(info.description)}
  <p>All of this as an OpenAPI 3.1 document: <a href="${place}"><code>${place}</code></a>. The
  examples use two variables:</p><pre><code>URL=${url}
KEY=pst_live_...</code></pre></header>
  ${byTag.map(
    ({ tag, here }) =>
      html`<section class="tag"><h2>${tag.name}</h2><p>${tag.description}</p>${here.map(
        ({ method, path, operation }) => renderOperation(method, path, operation),
      )}</section>`,
  )}
  <section class="tag"><h2>Schemas</h2>${Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section class="operation" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${typeof schema.description === 'string' && renderProse(schema.description)}${
        renderFieldList(schema) || html`<p class="type">${renderType(schema)}</p>`
      }</section>`,
  )}</section>
</main></body></html>
`;
  return `${page.text}${style}${rest.text}`;
}

/** Has `data` and `pagination` shown with each response, so that the resource is one click away, not two. */
function openEnvelope(media: Media, schemas: Record<string, Json>): void {
  const named = schemas[String(media.schema?.$ref ?? '').replace('#/components/schemas/', '')];
  if (named && 'data' in ((named.properties ?? {}) as Json)) media.envelope = named;
}

function listEntries(paths: Document['paths']): Entry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Nothing may run, be fetched or be framed; the one style is allowed by its hash. */
export const referenceHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
