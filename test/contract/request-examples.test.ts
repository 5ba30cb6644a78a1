/** The request examples of the OpenAPI document, sent as printed: who copies one from /docs must not get a 422. */
import { afterAll, expect, test } from 'bun:test';
import { api, routes } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';
import { Sender } from '../features/outbound/sender.ts';
import { findExample, unknownIds } from './route-examples.ts';

interface Operation {
  requestBody?: { content: Record<string, { example?: unknown }> };
}
const document = JSON.parse(JSON.stringify(openApiDocument(api.routes, api.events))) as {
  paths: Record<string, Record<string, Operation>>;
};
const sender = await Sender.start();
afterAll(() => sender[Symbol.asyncDispose]());

for (const route of routes) {
  const operation = document.paths[route.path.replace(/:([a-z_]+)/g, '{$1}')]?.[route.method.toLowerCase()];
  const example = operation?.requestBody?.content['application/json']?.example;
  if (example === undefined) continue;
  test(`${route.method} ${route.path} accepts its example`, async () => {
    const path = findExample(route).path(unknownIds as never);
    const reply = await sender.appliance.request(route.method, path, {
      key: sender.owner.key,
      body: example,
    });
    const reasons = Object.values((reply.json?.error?.fields ?? {}) as Record<string, string[]>).flat();
    // The ids of the examples belong to no account here.
    expect(reasons.filter((reason) => !reason.startsWith('is not one of your'))).toEqual([]);
    expect([400, 413, 415, 500]).not.toContain(reply.status);
  });
}
