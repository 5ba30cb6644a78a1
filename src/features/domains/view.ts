import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import { mxHost } from '../../platform/core/settings.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { challengeHost } from './records.ts';
import type { Domain as DomainRow } from './sql.ts';

/** A domain on the wire (contract: Domain; decisions.md, Objects). */
export const DomainShape = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(['pending_dns', 'verified', 'failed', 'disabled']),
    verification_txt_host: z.string().describe('Where the TXT record that shows ownership is published.'),
    verification_token: z.string().describe('The whole value of that record.'),
    mx_target: z.string().describe('Must be among the MX records of the domain.'),
    last_checked_at: z.iso.datetime().nullable(),
    last_error: z.string().nullable(),
    catch_all: z.boolean(),
    catch_all_inbox_id: z.string().nullable().describe('The target; it stays when catch_all is off.'),
    dkim_status: z.enum(['pending_dns', 'verified', 'failed']).nullable(),
    dkim_selector: z.string().nullable().describe('The record stands at <dkim_selector>._domainkey.<name>.'),
    dkim_public_key_txt: z.string().nullable().describe('The value of that TXT record.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Domain' });

export type DomainView = z.output<typeof DomainShape>;

export function domainView({ settings }: Pick<PlatformServices, 'settings'>, row: DomainRow): DomainView {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    verification_txt_host: challengeHost(row.name),
    verification_token: row.verification_token,
    mx_target: mxHost(settings),
    last_checked_at: isoTimeOrNull(row.last_checked_at),
    last_error: row.last_error,
    catch_all: row.catch_all === 1,
    catch_all_inbox_id: row.catch_all_inbox_id,
    dkim_status: row.dkim_status,
    dkim_selector: row.dkim_selector,
    dkim_public_key_txt: row.dkim_public_key_txt,
    created_at: isoTime(row.created_at),
  };
}
