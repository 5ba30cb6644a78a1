import { X509Certificate } from 'node:crypto';
import { mxHost } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { loadCertificate } from '../../platform/net/certificate.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { adviseOn } from '../certificates/advice.ts';
import { readCertificateStatus } from '../certificates/status.ts';
import { type Check, type CheckVerdict, flag, pass } from './check.ts';

/**
 * Certificates are usually renewed 30 days before they expire. With fewer days left, renewal has failed for two weeks.
 */
const DAYS_LEFT_MIN = 14;
const DAY_MS = 86_400_000;

export const certificateCheck: Check = {
  name: 'tls_certificate',
  async run(services) {
    const { settings, clock, dataDir } = services;
    if (settings.acme) return judgeIssued(services);
    let leaf: X509Certificate;
    try {
      const { cert } = await loadCertificate(
        { cert: settings.tls_cert, key: settings.tls_key },
        dataDir,
        mxHost(settings),
      );
      leaf = new X509Certificate(cert);
    } catch (fault) {
      return flag(readReason(fault));
    }
    const nowMs = clock.nowUs() / 1000;
    const ends = new Date(leaf.validTo);
    const day = ends.toISOString().slice(0, 10);
    if (settings.tls_cert === null) {
      return ends.getTime() < nowMs
        ? flag(
            `The self-signed certificate expired on ${day}. Delete tls/ in the data folder and restart: a new one is created.`,
          )
        : pass(
            "Self-signed: mail is encrypted, but senders can't verify this server. Set POSTERN_ACME=on, or POSTERN_TLS_CERT and POSTERN_TLS_KEY.",
          );
    }
    const renew = 'Renew it; the new files are loaded automatically.';
    if (ends.getTime() < nowMs) return flag(`The certificate expired on ${day}. ${renew}`);
    if (new Date(leaf.validFrom).getTime() > nowMs) {
      return flag(
        `The certificate is not valid before ${leaf.validFrom}. Check the clock of this machine (timedatectl).`,
      );
    }
    const days = Math.floor((ends.getTime() - nowMs) / DAY_MS);
    if (days < DAYS_LEFT_MIN) return flag(`The certificate expires on ${day}, in ${days} days. ${renew}`);
    const missing = listNamesToProve(services).filter((name) => leaf.checkHost(name) === undefined);
    if (missing.length > 0) {
      return flag(
        `The certificate is for ${leaf.subjectAltName ?? leaf.subject}, not for ${missing.join(', ')}. Get one that includes every name.`,
      );
    }
    return pass(`Valid for ${listNamesToProve(services).join(', ')} until ${day}.`);
  },
};

/** Checks the certificate that Postern obtains from a CA itself. */
function judgeIssued({ settings, clock, dataDir }: PlatformServices): CheckVerdict {
  const nowUs = clock.nowUs();
  const { facts, failure, names, renewsAt, nextTryAt } = readCertificateStatus(settings, dataDir, nowUs);
  const tried = failure
    ? ` The last attempt, at ${formatTime(failure.at)}, failed: ${failure.reason}. ${adviseOn(failure.reason, names)} The next attempt is at ${formatTime(Math.max(nextTryAt, nowUs))}; to try now: systemctl reload postern.`
    : '';
  if (facts === null) {
    return flag(`There is no certificate from the CA yet, so a self-signed one is in use.${tried}`);
  }
  const day = formatTime(facts.endsAtUs).slice(0, 10);
  if (facts.endsAtUs < nowUs) return flag(`The certificate expired on ${day}.${tried}`);
  if (facts.startsAtUs > nowUs) {
    return flag(
      `The certificate is not valid before ${formatTime(facts.startsAtUs)}. Set the clock of this machine (timedatectl).`,
    );
  }
  const missing = names.filter((name) => !facts.covers(name));
  if (missing.length > 0) return flag(`The certificate is not for ${missing.join(', ')} yet.${tried}`);
  const what = `From ${facts.issuer}, valid for ${names.join(', ')} until ${day}`;
  if (renewsAt === null) return flag(`${what}, but issued for other settings (CA or names).${tried}`);
  // A renewal that has failed for days needs a person; a single failure does not.
  const isLate = nowUs - renewsAt > (facts.endsAtUs - renewsAt) / 4;
  const verdict = `${what}; it is renewed on ${formatTime(renewsAt)}.${tried}`;
  return failure && isLate ? flag(verdict) : pass(verdict);
}

/** Formats a time to the minute, in UTC. */
function formatTime(timeUs: number): string {
  return `${new Date(timeUs / 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function listNamesToProve({ settings }: PlatformServices): string[] {
  const names = new Set([mxHost(settings)]);
  if (settings.http_tls && settings.base_url !== null) names.add(new URL(settings.base_url).hostname);
  return [...names];
}
