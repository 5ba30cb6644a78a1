/**
 * Generates clients from the OpenAPI document into dist/clients/: `scripts/generate-clients [--smoke] [NAME...]`. Without
 * names, it generates those of a release. With `--smoke`, each client then receives a code by mail from a server here;
 * clients that are not released are generated only for that, in a temporary folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api } from '../src/app/routes.ts';
import { openApiDocument } from '../src/platform/http/openapi.ts';
import { startAppliance } from '../test/start.ts';
import { type Target, targets } from './clients/targets.ts';

const given = process.argv.slice(2);
const isSmoking = given.includes('--smoke');
const asked = given.filter((word) => word !== '--smoke');
const unknown = asked.find((name) => !(name in targets));
if (unknown) {
  const usage = `usage: scripts/generate-clients [--smoke] [${Object.keys(targets).join(' | ')}]…`;
  console.error(unknown === '--help' ? usage : `unknown: ${unknown}\n${usage}`);
  process.exit(unknown === '--help' ? 0 : 2);
}
const chosen = Object.entries(targets).filter(([name, { isReleased }]) =>
  asked.length > 0 ? asked.includes(name) : isReleased || isSmoking,
);

/**
 * What each smoke program must print: the code, the subject, the status of DELETE, and the error code for a deleted
 * message.
 */
const EXPECTED = '493817 Sign in 204 not_found';

const dist = join(import.meta.dir, '../dist/clients');
const work = mkdtempSync(join(tmpdir(), 'postern-clients-'));

async function smoke(name: string, target: Target, folder: string): Promise<void> {
  const missing = target.needs.filter((command) => !Bun.which(command));
  if (missing.length > 0) return console.log(`${name}: SKIPPED, ${missing.join(' and ')} is missing`);
  await using appliance = await startAppliance({ settings: { limits: 'off', smtp_starttls: 'off' } });
  const { key } = await appliance.holder();
  const env = {
    POSTERN_URL: appliance.url,
    POSTERN_API_KEY: key,
    POSTERN_SMTP: `127.0.0.1:${appliance.smtpPort}`,
  };
  const place = join(work, `${name}-smoke`);
  mkdirSync(place);
  const output = await target.smoke(folder, place, env);
  if (!output.includes(EXPECTED)) throw new Error(`${name}: the smoke program printed ${output}`);
  console.log(`${name}: received a code`);
}

try {
  const document = join(work, 'openapi.json');
  writeFileSync(document, JSON.stringify(openApiDocument(api.routes, api.events)));
  for (const [name, target] of chosen) {
    const folder = join(target.isReleased ? dist : work, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await target.generate(document, folder);
    console.log(`${name}: generated`);
    if (isSmoking) await smoke(name, target, folder);
  }
} finally {
  rmSync(work, { recursive: true });
}
