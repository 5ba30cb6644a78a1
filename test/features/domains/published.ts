import type { DomainView } from '../../../src/features/domains/wire.ts';

/** The records that a domain's owner publishes, built only from what the API returns. */
export function readDomainRecords(
  domain: DomainView,
): { host: string; type: 'TXT' | 'MX'; values: string[] | string[][] }[] {
  const { name, verification_txt_host, verification_token, mx_target, dkim_selector, dkim_public_key_txt } =
    domain;
  const receiving = [
    { host: verification_txt_host, type: 'TXT' as const, values: [verification_token] },
    { host: name, type: 'MX' as const, values: [`10 ${mx_target}`] },
  ];
  if (dkim_selector === null || dkim_public_key_txt === null) return receiving;
  const host = `${dkim_selector}._domainkey.${name}`;
  return [...receiving, { host, type: 'TXT', values: [listStrings(dkim_public_key_txt)] }];
}

/** A TXT record holds strings of 255 characters at most. */
export function listStrings(text: string): string[] {
  return text.match(/.{1,255}/g) ?? [];
}
