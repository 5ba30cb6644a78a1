import { z } from 'zod';

/** A domain on the wire (docs/api-v1.md, Domain; docs/decisions.md, Objects). */
export const DomainShape = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(['pending_dns', 'verified', 'failed', 'disabled']),
    verification_txt_host: z.string().describe('The host of the TXT record that proves ownership.'),
    verification_token: z.string().describe('The complete value of that record.'),
    mx_target: z.string().describe('Must be among the MX records of the domain.'),
    last_checked_at: z.iso.datetime().nullable(),
    last_error: z.string().nullable(),
    catch_all: z.boolean(),
    catch_all_inbox_id: z.string().nullable().describe('The target inbox, also while `catch_all` is false.'),
    dkim_status: z.enum(['pending_dns', 'verified', 'failed']).nullable(),
    dkim_selector: z.string().nullable().describe('The TXT record is at <dkim_selector>._domainkey.<name>.'),
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
  /** The name of the record, without the last dot. */
  host: string;
  /** The value. For an MX, only the mail server's name. */
  value: string;
  /** Whether the domain does not work without it. The others are advice for sending. */
  is_needed: boolean;
  /** What only a person can know or do. */
  note: string | null;
}

/** A wanted record, with what the DNS says now. */
export interface CheckedRecord extends WantedRecord {
  /** Null if the DNS did not answer. */
  ok: boolean | null;
  /** The records of this type that were found, shortened. */
  found: string[];
  /** Why `ok` is not true. */
  error: string | null;
}
