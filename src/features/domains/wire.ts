import { z } from 'zod';

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

export type RecordPurpose = 'ownership' | 'mx' | 'dkim' | 'spf' | 'dmarc';

/** A record that a domain needs, or should have. */
export interface WantedRecord {
  purpose: RecordPurpose;
  type: 'TXT' | 'MX';
  /** Where it stands, without the last dot. */
  host: string;
  /** Of an MX the host alone. */
  value: string;
  /** Without it the domain does not work; the others are advice for those who send. */
  is_needed: boolean;
  /** What only a person can know, and has to see to. */
  note: string | null;
}

/** The same, and what the DNS says now. `ok` null: it did not answer. */
export interface RecordLook extends WantedRecord {
  ok: boolean | null;
  /** What stands there, of its type, cut. */
  found: string[];
  /** Why it is not ok. */
  error: string | null;
}
