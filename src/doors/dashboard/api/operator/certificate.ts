import { adviseOn } from '../../../../features/certificates/advice.ts';
import { readCertificateStatus } from '../../../../features/certificates/status.ts';
import { isoTime, isoTimeOrNull } from '../../../../platform/core/clock.ts';
import type { DashboardServices } from '../../services.ts';
import type { Health } from '../../wire.ts';

/** The certificate in use, and the state of its renewal if Postern renews it; null where no door uses TLS. */
export function viewCertificate({
  settings,
  dataDir,
  clock,
  backstage,
}: DashboardServices): Health['certificate'] {
  const facts = backstage.certificate?.facts;
  if (!facts) return null;
  const common = { issuer: facts.issuer, names: facts.names, expires_at: isoTime(facts.endsAtUs) };
  if (!settings.acme) {
    const source = settings.tls_cert === null ? 'self_signed' : 'files';
    return { source, ...common, renews_at: null, failure: null, next_try_at: null };
  }
  const nowUs = clock.nowUs();
  const status = readCertificateStatus(settings, dataDir, nowUs);
  const { failure } = status;
  return {
    source: status.facts === null ? 'self_signed' : 'ca',
    ...common,
    renews_at: isoTimeOrNull(status.renewsAt),
    failure: failure && {
      at: isoTime(failure.at),
      reason: failure.reason,
      todo: adviseOn(failure.reason, status.names),
    },
    next_try_at: failure && isoTime(Math.max(status.nextTryAt, nowUs)),
  };
}
