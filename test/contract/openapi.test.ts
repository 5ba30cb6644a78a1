import { describe, expect, test } from 'bun:test';
import { openApiDocument } from '../../src/http/openapi.ts';
import { routes } from '../../src/routes.ts';
import { startAppliance } from '../start.ts';

describe('the OpenAPI document', () => {
  test('is served, the same as the command prints', async () => {
    await using appliance = await startAppliance();
    const reply = await appliance.request('GET', '/api/v1/openapi.json');
    expect(reply.json).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes))));
    expect(reply.json.openapi).toMatch(/^3\.1\./);
  });

  test('has every route, with a success, its refusals and no reference that leads nowhere', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document, looked into as it is.
    const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as any;
    for (const route of routes) {
      const operation = document.paths[route.path.replace(/:([a-z_]+)/g, '{$1}')][route.method.toLowerCase()];
      expect(operation.operationId).toBe(route.name);
      for (const status of Object.keys(route.gives)) expect(operation.responses).toHaveProperty(status);
      expect(operation.responses).toHaveProperty('500');
      if (route.auth === 'key')
        for (const status of ['401', '403', '429']) expect(operation.responses).toHaveProperty(status);
      const in_path = (operation.parameters ?? []).filter((each: { in: string }) => each.in === 'path');
      expect(in_path).toHaveLength(route.path.split('/:').length - 1);
    }
    const text = JSON.stringify(document);
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name);
    }
    expect(text).not.toContain('$defs');
  });

  test('does not name the same operation twice', () => {
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  });
});
