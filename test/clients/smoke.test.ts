/** The smoke program in Java passes parameters by name, because positions would change with each new parameter. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string }[];
}

test('the smoke program in Java only uses parameters of a wait that exist', () => {
  const { paths } = openApiDocument(routes) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const { parameters = [] } = operations.find(({ operationId }) => operationId === 'waitForMessage') ?? {};
  const program = readFileSync(join(import.meta.dir, '../../scripts/clients/smoke/java/Smoke.java'), 'utf8');
  const [, request = ''] = /APIWaitForMessageRequest\.newBuilder\(\)(.*?)\.build\(\)/.exec(program) ?? [];
  const named = Array.from(request.matchAll(/\.(\w+)\(/g), ([, name]) => name!).filter(
    (name) => !name.startsWith('get'),
  );
  expect(named).toEqual(['id', 'since']);
  expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  expect(program).toContain('waitForMessage(wait)');
});
