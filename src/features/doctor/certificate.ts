import { X509Certificate } from 'node:crypto';
import { mxHost } from '../../platform/core/settings.ts';
import { loadCertificate } from '../../platform/net/certificate.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type Check, describeFault, flag, pass } from './check.ts';

/** Automatic renewal happens 30 days before the end. With less than this left it has failed for two weeks. */
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
      return flag(describeFault(fault));
    }
    const nowMs = clock.nowUs() / 1000;
    const ends = new Date(leaf.validTo);
    const day = ends.toISOString().slice(0, 10);
    if (settings.tls_cert === null) {
      return ends.getTime() < nowMs
        ? flag(
            `The self-signed certificate expired on ${day}. Remove tls/ from the data folder; the next start creates a new one.`,
          )
        : pass(
            'Self-signed: senders encrypt but have no way to verify your identity. Set POSTERN_TLS_CERT and POSTERN_TLS_KEY.',
          );
    }
    const renew = 'Renew it; the new files are loaded automatically.';
    if (ends.getTime() < nowMs) return flag(`It expired on ${day}. ${renew}`);
    if (new Date(leaf.validFrom).getTime() > nowMs)
      return flag(`It is not valid before ${leaf.validFrom}. Check the clock.`);
    const days = Math.floor((ends.getTime() - nowMs) / DAY_MS);
    if (days < RENEWED_BY_DAYS) return flag(`It expires on ${day}, in ${days} days. ${renew}`);
    const missing = listNamesToProve(services).filter((name) => leaf.checkHost(name) === undefined);
    if (missing.length > 0) {
      return flag(
        `It is for ${leaf.subjectAltName ?? leaf.subject}, not for ${missing.join(', ')}. Get one that includes it.`,
      );
    }
    return pass(`Valid for ${listNamesToProve(services).join(', ')} until ${day}.`);
  },
};

function listNamesToProve({ settings }: PlatformServices): string[] {
  const names = new Set([mxHost(settings)]);
  if (settings.http_tls && settings.base_url !== null) names.add(new URL(settings.base_url).hostname);
  return [...names];
}
