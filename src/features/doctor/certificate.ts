import { X509Certificate } from 'node:crypto';
import { mxHost } from '../../platform/core/settings.ts';
import { loadCertificate } from '../../platform/net/certificate.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { bad, type Check, good, reasonOf } from './check.ts';

/** Those who renew by themselves do it 30 days before the end; what is left then has failed for two weeks. */
const RENEWED_BY_DAYS = 14;
const DAY_MS = 86_400_000;

export const certificateCheck: Check = {
  name: 'tls_certificate',
  async run(services) {
    const { settings, clock, data_dir } = services;
    let leaf: X509Certificate;
    try {
      const { cert } = await loadCertificate(
        { cert: settings.tls_cert, key: settings.tls_key },
        data_dir,
        mxHost(settings),
      );
      leaf = new X509Certificate(cert);
    } catch (fault) {
      return bad(reasonOf(fault));
    }
    const nowMs = clock.nowUs() / 1000;
    const ends = new Date(leaf.validTo);
    const day = ends.toISOString().slice(0, 10);
    if (settings.tls_cert === null) {
      return ends.getTime() < nowMs
        ? bad(
            `The self-signed one ended on ${day}. Remove tls/ from the data folder; the next start makes a new one.`,
          )
        : good(
            'Self-signed: senders encrypt, but none can know that it is you. POSTERN_TLS_CERT and _KEY give another.',
          );
    }
    const renew = 'Renew it; the new files are read by themselves.';
    if (ends.getTime() < nowMs) return bad(`It ended on ${day}. ${renew}`);
    if (new Date(leaf.validFrom).getTime() > nowMs)
      return bad(`It begins only on ${leaf.validFrom}. See the clock.`);
    const days = Math.floor((ends.getTime() - nowMs) / DAY_MS);
    if (days < RENEWED_BY_DAYS) return bad(`It ends on ${day}, in ${days} days. ${renew}`);
    const missing = namesToProve(services).filter((name) => leaf.checkHost(name) === undefined);
    if (missing.length > 0) {
      return bad(
        `It is for ${leaf.subjectAltName ?? leaf.subject}, not for ${missing.join(', ')}. Get one for that name too.`,
      );
    }
    return good(`For ${namesToProve(services).join(', ')}, until ${day}.`);
  },
};

function namesToProve({ settings }: PlatformServices): string[] {
  const names = new Set([mxHost(settings)]);
  if (settings.http_tls && settings.base_url !== null) names.add(new URL(settings.base_url).hostname);
  return [...names];
}
