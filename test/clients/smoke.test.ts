/** The smoke program in Java, which passes parameters by position, so that each new one of a wait has to be added. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';

interface Operation {
  operationId: string;
  parameters?: { in: string }[];
}

test('the smoke program in Java passes every parameter of a wait', () => {
  const { paths } = openApiDocument(routes) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const program = readFileSync(join(import.meta.dir, '../../scripts/clients/smoke/java/Smoke.java'), 'utf8');
  const [, given = ''] = /\.waitForMessage\(([^;]*?)\)\s*\.getData/.exec(program) ?? [];
  const { parameters = [] } = operations.find(({ operationId }) => operationId === 'waitForMessage') ?? {};
  expect(parameters.length).toBeGreaterThan(5);
  expect(given.split(',')).toHaveLength(parameters.length);
});
