/**
 * docs/api-v1.md, Versioning: a deprecated operation says so in each response and in the document, 90 days before its
 * removal.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { version } from '../../package.json';
import { api, routes } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';
import { ok } from '../../src/platform/http/reply.ts';
import { route } from '../../src/platform/http/route.ts';
import { startHttp } from '../../src/platform/http/server.ts';
import { startAppliance } from '../start.ts';

const DAY_MS = 86_400_000;

const old = route({
  name: 'getOld',
  method: 'GET',
  path: '/api/v1/old',
  summary: 'What will be gone',
  tag: 'Service',
  deprecated: { announced: '2026-11-21', sunset: '2027-03-01' },
  responses: { 200: z.object({ data: z.string() }) },
  run: () => ok('still here'),
});

describe('a deprecated operation', () => {
  test('has Deprecation and Sunset headers on every response, errors included, and no other operation has them', async () => {
    await using appliance = await startAppliance();
    const { key } = await appliance.holder();
    const http = startHttp({
      services: appliance.services,
      api: { ...api, routes: [...routes, old] },
      listen: { host: '127.0.0.1', port: 0 },
      ready: () => null,
    });
    try {
      const ask = (path: string, headers: Record<string, string> = {}) => fetch(http.url + path, { headers });
      for (const [headers, status] of [
        [{ authorization: `Bearer ${key}` }, 200],
        [{}, 401],
      ] as const) {
        const answer = await ask('/api/v1/old', headers);
        expect([answer.status, answer.headers.get('deprecation'), answer.headers.get('sunset')]).toEqual([
          status,
          '@1795219200',
          'Mon, 01 Mar 2027 00:00:00 GMT',
        ]);
      }
      const other = await ask('/healthz');
      expect([other.headers.get('deprecation'), other.headers.get('sunset')]).toEqual([null, null]);
    } finally {
      await http.stop();
    }
  });

  test('is marked as deprecated in the OpenAPI document', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts have no types.
    const document = JSON.parse(JSON.stringify(openApiDocument([old]))) as any;
    const { get } = document.paths['/api/v1/old'];
    expect(get.deprecated).toBe(true);
    for (const status of ['200', '401', '500'])
      expect(Object.keys(get.responses[status].headers)).toEqual(
        expect.arrayContaining(['Deprecation', 'Sunset']),
      );
  });

  test('was announced in the changelog 90 days before its removal', () => {
    const changelog = readFileSync(join(import.meta.dir, '../../CHANGELOG.md'), 'utf8');
    for (const { name, deprecated } of routes) {
      if (!deprecated) continue;
      const days = (Date.parse(deprecated.sunset) - Date.parse(deprecated.announced)) / DAY_MS;
      expect([name, days >= 90]).toEqual([name, true]);
      expect(changelog).toContain(`\`${name}\``);
      expect(changelog).toContain(deprecated.sunset);
    }
  });
});

test('the changelog has an entry for the current version', () => {
  const changelog = readFileSync(join(import.meta.dir, '../../CHANGELOG.md'), 'utf8');
  expect(changelog).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm'));
});
