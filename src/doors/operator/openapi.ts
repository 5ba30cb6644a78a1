import type { LocalCommand } from './command.ts';

export const openapi: LocalCommand = {
  name: 'openapi',
  meaning: 'print the OpenAPI 3.1 document of the HTTP API',
  examples: ['postern openapi > openapi.json'],
  needsNoSettings: true,
  async runHere({ json }) {
    const { openApiDocument } = await import('../../platform/http/openapi.ts');
    const { api } = await import('../../app/routes.ts');
    process.stdout.write(`${JSON.stringify(openApiDocument(api.routes, api.events), null, json ? 0 : 2)}\n`);
    return 0;
  },
};
