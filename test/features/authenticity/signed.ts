/** Domains that sign, in our own DNS server, and their mails. */
import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { DnsServer } from '../../peers/dns-server.ts';

export interface SigningDomain {
  name: string;
  key: KeyObject;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Publishes SPF for loopback, a DKIM key at `s1`, and a DMARC policy. */
export function publish(dns: DnsServer, name: string, policy = 'reject'): SigningDomain {
  dns.set(name, 'TXT', txt('v=spf1 ip4:127.0.0.1 -all'));
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  dns.set(`s1._domainkey.${name}`, 'TXT', txt(`v=DKIM1; k=rsa; p=${key}`));
  dns.set(`_dmarc.${name}`, 'TXT', txt(`v=DMARC1; p=${policy}`));
  return { name, key: privateKey };
}

/** A TXT record. Each of its strings holds at most 255 octets. */
export const txt = (text: string) => ({
  records: [{ type: 'TXT' as const, data: text.match(/.{1,255}/gs) ?? [] }],
});

/** A message whose signature covers only the start of the body (RFC 6376 3.5, l=), with text appended. */
export function partlySignedMail(
  { name, key }: SigningDomain,
  body: string,
  after: string,
  author = name,
): string {
  const hash = createHash('sha256').update(body).digest('base64');
  const from = `From: Ann <ann@${author}>`;
  const tags = `v=1; a=rsa-sha256; c=simple/simple; d=${name}; s=s1; l=${body.length}; h=from; bh=${hash}; b=`;
  const sum = createSign('sha256').update(`${from}\r\nDKIM-Signature: ${tags}`).sign(key, 'base64');
  return `DKIM-Signature: ${tags}${sum}\r\n${from}\r\n\r\n${body}${after}`;
}

/** A signed mail as sent over the wire. */
export async function signedMail(domain: SigningDomain): Promise<Buffer> {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    dkim: {
      domainName: domain.name,
      keySelector: 's1',
      privateKey: domain.key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
  });
  const { message } = await transport.sendMail({
    from: `Ann <ann@${domain.name}>`,
    to: 'you@postern.test',
    subject: 'hello',
    text: 'Your code is 481516\n',
  });
  return message as unknown as Buffer;
}
