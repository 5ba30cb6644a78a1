import { z } from 'zod';

/** A domain on the wire (docs/api-v1.md, Domain; docs/decisions.md, Objects). */
export const DomainShape = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(['pending_dns', 'verified', 'failed', 'disabled']),
    verification_txt_host: z.string().describe('Host of the TXT record that proves ownership.'),
    verification_token: z.string().describe('The complete value of that record.'),
    mx_target: z.string().describe('Must be among the MX records of the domain.'),
    last_checked_at: z.iso.datetime().nullable(),
    last_error: z.string().nullable(),
    catch_all: z.boolean(),
    catch_all_inbox_id: z.string().nullable().describe('The target. It stays bound while catch_all is off.'),
    dkim_status: z.enum(['pending_dns', 'verified', 'failed']).nullable(),
    dkim_selector: z.string().nullable().describe('The record is at <dkim_selector>._domainkey.<name>.'),
    dkim_public_key_txt: z.string().nullable().describe('The value of that TXT record.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Domain' });

export type DomainView = z.output<typeof DomainShape>;

export type RecordPurpose = 'ownership' | 'mx' | 'dkim' | 'spf' | 'dmarc';

/** A DNS record that a domain needs or should have. */
export interface WantedRecord {
  purpose: RecordPurpose;
  type: 'TXT' | 'MX';
  /** Its host, without the last dot. */
  host: string;
  /** For an MX, only the host. */
  value: string;
  /** The domain does not work without it. The others are advice for sending. */
  is_needed: boolean;
  /** What only a person can know or do. */
  note: string | null;
}

/** The same, with what the DNS says now. `ok` is null when it did not answer. */
export interface RecordLook extends WantedRecord {
  ok: boolean | null;
  /** What was found, of this type, shortened. */
  found: string[];
  /** Why `ok` is not true. */
  error: string | null;
}
