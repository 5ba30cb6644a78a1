import { describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { api } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';
import { NO_EXAMPLE } from '../../src/platform/http/openapi-example.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { eventKindNames } from '../../src/rules/events.ts';
import { strictDocument, strictValidators } from '../conformance.ts';
import { sendRaw } from '../peers/raw-http.ts';
import { startAppliance } from '../start.ts';

const { routes, events } = api;
// biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts have no types.
const document = JSON.parse(JSON.stringify(openApiDocument(routes, events))) as any;

interface Described {
  requestBody?: { content?: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

/** Yields every object in the document that may be a schema. */
function* schemasIn(value: unknown, at = '#'): Generator<{ at: string; schema: Record<string, unknown> }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value) && !/\/properties$/.test(at))
    yield { at, schema: value as Record<string, unknown> };
  for (const [name, inner] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* schemasIn(inner, `${at}/${name}`);
  }
}

describe('the OpenAPI document', () => {
  test('is served, the same as the command prints', async () => {
    await using appliance = await startAppliance();
    const reply = await appliance.request('GET', '/api/v1/openapi.json');
    expect(reply.json).toEqual(document);
    expect(reply.json.openapi).toMatch(/^3\.1\./);
  });

  test('names the statuses with which a malformed request is answered, without a body', async () => {
    await using appliance = await startAppliance();
    const heads = ['GET / HTTP/1.1\r\nHost: a b', `GET /?${'x'.repeat(20_000)} HTTP/1.1`, 'GET / HTTP/2.0'];
    const replies = await Promise.all(heads.map((head) => sendRaw(appliance.httpPort, `${head}\r\n\r\n`)));
    expect(replies.map((reply) => [reply?.status, reply?.body])).toEqual([
      [400, ''],
      [431, ''],
      [505, ''],
    ]);
    for (const reply of replies) expect(document.info.description).toContain(`${reply?.status} (`);
  });

  test('has every route with its success and its errors, and no dangling reference', () => {
    for (const route of routes) {
      const operation = document.paths[route.path.replace(/:([a-z_]+)/g, '{$1}')][route.method.toLowerCase()];
      expect(operation.operationId).toBe(route.name);
      for (const status of Object.keys(route.responses)) expect(operation.responses).toHaveProperty(status);
      expect(operation.responses).toHaveProperty('500');
      if (route.auth === 'key')
        for (const status of ['401', '403', '429']) expect(operation.responses).toHaveProperty(status);
      const inPath = (operation.parameters ?? []).filter((each: { in: string }) => each.in === 'path');
      expect(inPath).toHaveLength(route.path.split('/:').length - 1);
    }
    const text = JSON.stringify(document);
    for (const [, kind = '', name = ''] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(document.components[kind]).toHaveProperty([name]);
    }
    expect(text).not.toContain('$defs');
  });

  test('has no operationId twice', () => {
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  });

  test('names every object with fields, so that generated clients have named types', () => {
    const nameless = [...schemasIn(document)].filter(
      ({ at, schema }) => 'properties' in schema && !/^#\/components\/schemas\/\w+$/.test(at),
    );
    expect(nameless.map(({ at }) => at)).toEqual([]);
    for (const [path, item] of Object.entries<Record<string, Described>>(document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(item)) {
        for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
          const media = content['application/json'];
          const isNamed = media === undefined || '$ref' in media.schema || path.endsWith('/openapi.json');
          expect([method, path, isNamed]).toEqual([method, path, true]);
        }
      }
    }
  });

  test('links only to operations and parameters that exist', () => {
    const byName = new Map(routes.map((route) => [route.name, route.path]));
    for (const { name, links } of routes as readonly Route[]) {
      for (const [operation, taken] of Object.entries(links)) {
        const parameters = [...(byName.get(operation) ?? '').matchAll(/:([a-z_]+)/g)].map(([, each]) => each);
        expect([name, operation, Object.keys(taken)]).toEqual([name, operation, parameters as string[]]);
      }
    }
    const created = document.paths['/api/v1/inboxes'].post.responses['201'];
    expect(created.links.waitForMessage).toEqual({
      operationId: 'waitForMessage',
      parameters: { id: '$response.body#/data/id' },
    });
  });

  test('puts webhook requests under a tag of their own, because generators create a class for each tag', () => {
    const tags = new Set(routes.map(({ tag }) => tag));
    for (const { post } of Object.values<{ post: { tags: string[] } }>(document.webhooks))
      expect(post.tags.filter((tag) => tags.has(tag))).toEqual([]);
    for (const { name, description } of document.tags)
      expect([name, description]).not.toEqual([name, `All of ${name.toLowerCase()}.`]);
  });

  test('is valid by the seriousme validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('passes Redocly’s recommended rules without a warning', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const messages = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    );
    expect(messages).toEqual([]);
  });
});

describe('examples in the document', () => {
  interface Media {
    at: string;
    schema: object;
    examples: unknown[];
  }

  /** Yields every body, with its examples. */
  function* bodies(value: unknown, at = '#'): Generator<Media> {
    if (typeof value !== 'object' || value === null) return;
    if ('content' in value && typeof value.content === 'object') {
      for (const [type, media] of Object.entries(value.content as Record<string, Record<string, unknown>>)) {
        const named = Object.values((media.examples ?? {}) as Record<string, { value: unknown }>);
        const examples = 'example' in media ? [media.example] : named.map((each) => each.value);
        yield { at: `${at} ${type}`, schema: media.schema as object, examples };
      }
    }
    for (const [name, inner] of Object.entries(value)) {
      if (name !== 'schemas') yield* bodies(inner, `${at}/${name}`);
    }
  }

  const all = [...bodies(document)];

  test('exist for every body, parameter and header (a new field needs one in src/rules/examples.ts)', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(({ examples }) => examples.length === 0).map(({ at }) => at)).toEqual([]);
    expect(
      all.filter(({ examples }) => JSON.stringify(examples).includes(NO_EXAMPLE)).map(({ at }) => at),
    ).toEqual([]);
    for (const [path, item] of Object.entries(document.paths) as [
      string,
      Record<string, { parameters?: { name: string; example: unknown; description?: string }[] }>,
    ][]) {
      for (const { parameters = [] } of Object.values(item)) {
        for (const { name, example, description } of parameters)
          expect([path, name, example !== undefined, Boolean(description)]).toEqual([path, name, true, true]);
      }
    }
    for (const [name, header] of Object.entries(document.components.headers) as [string, object][])
      expect([name, 'example' in header && 'description' in header]).toEqual([name, true]);
  });

  test('match their schemas completely', () => {
    const validators = strictValidators(strictDocument(), true);
    const wrong = all.flatMap(({ at, schema, examples }) =>
      examples.flatMap((example) => {
        const fault = validators.fault(schema, example);
        return fault === null ? [] : [`${at}: ${fault}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('name every error code of each refusal', () => {
    for (const item of Object.values(document.paths) as Record<
      string,
      { responses: Record<string, Refused> }
    >[]) {
      for (const { responses } of Object.values(item)) {
        for (const [status, { description, content }] of Object.entries(responses)) {
          const named = Object.keys(content?.['application/json']?.examples ?? {});
          if (Number(status) < 400 || named.length === 0) continue;
          for (const code of named) expect(description).toContain(`\`${code}\``);
        }
      }
    }
  });

  interface Refused {
    description: string;
    content?: Record<string, { examples?: object }>;
  }
});

test('the document describes each kind of webhook request with its headers', () => {
  expect(Object.keys(document.webhooks)).toEqual([...eventKindNames, 'webhook.test']);
  const { post } = document.webhooks['email.received'];
  const names = post.parameters.map(({ name }: { name: string }) => name);
  expect(names).toEqual([
    'X-Service-Event',
    'X-Service-Event-Id',
    'X-Service-Signature',
    'X-Service-Signature-Version',
  ]);
});
