/** The data that all clients share (clients/contract) is complete and well formed. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  errorTableFile,
  hashWireDocument,
  renderErrorTable,
  wireFile,
} from '../../scripts/client-sources.ts';
import { api } from '../../src/app/routes.ts';
import { openApiDocument } from '../../src/platform/http/openapi.ts';
import { errors } from '../../src/rules/errors.ts';

const contract = join(import.meta.dir, '../../clients/contract');
const read = (path: string) => JSON.parse(readFileSync(join(contract, path), 'utf8'));

describe('the contract of the clients', () => {
  const isCaseFile = new Ajv2020({ strict: false }).compile(read('case.schema.json'));

  for (const name of readdirSync(join(contract, 'cases'))) {
    test(`${name} has the form of case.schema.json`, () => {
      isCaseFile(read(`cases/${name}`));
      expect(isCaseFile.errors ?? []).toEqual([]);
    });
  }

  test('matches the generated files of the TypeScript client (if not, run scripts/refresh-clients)', () => {
    expect(readFileSync(errorTableFile, 'utf8')).toBe(renderErrorTable());
    expect(readFileSync(wireFile, 'utf8').split('\n')[0]).toContain(hashWireDocument());
  });

  test('has a method for every operation of the API, or says why there is none', () => {
    const { paths } = openApiDocument(api.routes, api.events) as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId?: string }>).flatMap(
        ({ operationId }) => operationId ?? [],
      ),
    );
    const { methods, without } = read('operations.json');
    expect([...Object.keys(methods), ...Object.keys(without)].sort()).toEqual(operations.sort());
  });

  test('has a case that calls every method, so that each client must have it', () => {
    const cases = readdirSync(join(contract, 'cases')).map((name) => read(`cases/${name}`));
    const called = new Set(JSON.stringify(cases).match(/(?<="call":")[^"]+/g));
    const { methods } = read('operations.json') as { methods: Record<string, string[]> };
    expect(Object.values(methods).every((names) => names.length > 0)).toBe(true);
    expect(
      Object.values(methods)
        .flat()
        .filter((name) => !called.has(name)),
    ).toEqual([]);
  });

  test('has a kind and advice for every error code of the API', () => {
    const { codes, kinds } = read('errors.json');
    const missing = Object.keys(errors).filter((code) => !codes[code]?.advice || !kinds[codes[code]?.kind]);
    expect(missing).toEqual([]);
  });
});
