/** What the generated files of the TypeScript client are made from, so that a test can tell whether they are current. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../src/app/routes.ts';
import { openApiDocument } from '../src/platform/http/openapi.ts';

const root = join(import.meta.dir, '..');
export const wireFile = join(root, 'clients/typescript/src/wire.ts');
export const errorTableFile = join(root, 'clients/typescript/src/error-table.ts');

/** Returns the schemas of the OpenAPI document, as a document without paths. */
export function readWireDocument(): object {
  const { openapi, info, components } = openApiDocument(api.routes, api.events) as {
    openapi: string;
    info: object;
    components: { schemas: object };
  };
  return { openapi, info, paths: {}, components: { schemas: components.schemas } };
}

/** Returns the hash of the schemas, which is in the first line of wire.ts. */
export function hashWireDocument(): string {
  const { components } = readWireDocument() as { components: object };
  return createHash('sha256').update(JSON.stringify(components)).digest('hex');
}

/** Returns the text of error-table.ts, from the data that all clients share. */
export function renderErrorTable(): string {
  const table = JSON.parse(readFileSync(join(root, 'clients/contract/errors.json'), 'utf8'));
  return [
    '// Written by scripts/refresh-clients from clients/contract/errors.json.',
    `export const errorTable = ${JSON.stringify(table, null, 2)} as const;`,
    '',
  ].join('\n');
}
