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

  test('is what the generated files of the TypeScript client were made from (else: scripts/refresh-clients)', () => {
    expect(readFileSync(errorTableFile, 'utf8')).toBe(renderErrorTable());
    expect(readFileSync(wireFile, 'utf8').split('\n')[0]).toContain(hashWireDocument());
  });

  test('names a kind and an advice for every error code of the API', () => {
    const { codes, kinds } = read('errors.json');
    const missing = Object.keys(errors).filter((code) => !codes[code]?.advice || !kinds[codes[code]?.kind]);
    expect(missing).toEqual([]);
  });
});
