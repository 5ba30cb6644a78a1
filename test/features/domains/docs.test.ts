import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDomain } from '../../../src/features/domains/find.ts';
import { listRecords } from '../../../src/features/domains/records.ts';
import { formatZoneLine } from '../../../src/features/domains/zone-line.ts';
import { startWorld } from './world.ts';

test('docs/domains.md prints the records that a domain really has', async () => {
  await using world = await startWorld({ mail_domain: 'mail.example.net' });
  const { services } = world.appliance;
  const { id } = await world.verified('example.com');
  await world.api('POST', `/domains/${id}/sending_setup`);
  const page = readFileSync(join(import.meta.dir, '../../../docs/domains.md'), 'utf8');
  const shown = page.split('\n').filter((line) => / IN (TXT|MX) /.test(line));
  const wanted = listRecords(services, findDomain(services.store, id)).map(formatZoneLine);
  /** Without the random parts. */
  const bare = (line: string) => line.replace(/=[0-9a-f]{32}/, '=TOKEN').replace(/p=MI.*AQAB/, 'p=KEY');
  expect(shown.map(bare)).toEqual(wanted.map(bare));
});
