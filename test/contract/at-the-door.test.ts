/** Answers that come before routing are in the document too, on every operation. */
import { expect, test } from 'bun:test';
import { api, routes } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { errors } from '../../src/rules/errors.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, whose parts have no types.
const document: any = openApiDocument(api.routes, api.events);

const listDocumented = ({ path, method }: Route, status: number): string[] =>
  Object.keys(
    document.paths[path.replace(/:([a-z_]+)/g, '{$1}')][method.toLowerCase()].responses[status]?.content?.[
      'application/json'
    ].examples ?? {},
  );

const refuse = (appliance: RunningAppliance, { path, method }: Route) =>
  appliance.request(method, path, { headers: { host: 'evil.example' } });

test('a foreign Host is refused on every route of a trap, and on /metrics of a server, as documented', async () => {
  await using capture = await startAppliance({ capture: {}, settings: { metrics: 'on' } });
  for (const route of routes) {
    const { status, json } = await refuse(capture, route);
    expect([route.name, status, json?.error.code]).toEqual([route.name, 403, 'account_forbidden']);
    expect([route.name, ...listDocumented(route, status)]).toContain('account_forbidden');
  }
  await using server = await startAppliance({ settings: { metrics: 'on' } });
  expect((await refuse(server, routes.find(({ path }) => path === '/metrics')!)).status).toBe(403);
});

test('too many connections are documented on every route without a 503 of its own', () => {
  const { status } = errors.too_many_connections;
  const without = routes.filter((route) => !listDocumented(route, status).includes('too_many_connections'));
  expect(without.map(({ name }) => name)).toEqual(['getReadiness']);
});
