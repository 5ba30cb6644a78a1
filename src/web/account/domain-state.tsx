/** A domain as the API gives it. */
export interface Domain {
  id: string;
  name: string;
  status: 'pending_dns' | 'verified' | 'failed' | 'disabled';
  last_checked_at: string | null;
  last_error: string | null;
  catch_all: boolean;
  catch_all_inbox_id: string | null;
  dkim_status: 'pending_dns' | 'verified' | 'failed' | null;
  dkim_selector: string | null;
}

/** A record that has to stand in the DNS, and what stands there. */
export interface DnsRecord {
  purpose: 'ownership' | 'mx' | 'dkim' | 'spf' | 'dmarc';
  type: 'TXT' | 'MX';
  host: string;
  value: string;
  is_needed: boolean;
  note: string | null;
  ok: boolean | null;
  found: string[];
  error: string | null;
  zone_line: string;
}

const words = {
  pending_dns: ['waits for its records', 'tag-warn'],
  verified: ['verified', 'tag-accent'],
  failed: ['failed', 'tag-danger'],
  disabled: ['turned off by the operator', 'tag-danger'],
} as const;

export function DomainState({ of: status }: { of: Domain['status'] }) {
  const [text, colour] = words[status];
  return <span class={`tag ${colour}`}>{text}</span>;
}
