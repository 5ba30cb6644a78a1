import { X509Certificate } from 'node:crypto';
import { mxHost } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { loadCertificate } from '../../platform/net/certificate.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { adviseOn } from '../certificates/advice.ts';
import { readStanding } from '../certificates/standing.ts';
import { type Check, type CheckVerdict, flag, pass } from './check.ts';

/** Automatic renewal happens 30 days before the end. With less than this left it has failed for two weeks. */
const RENEWED_BY_DAYS = 14;
const DAY_MS = 86_400_000;

export const certificateCheck: Check = {
  name: 'tls_certificate',
  async run(services) {
    const { settings, clock, data_dir } = services;
    if (settings.acme) return judgeIssued(services);
    let leaf: X509Certificate;
    try {
      const { cert } = await loadCertificate(
        { cert: settings.tls_cert, key: settings.tls_key },
        data_dir,
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
            `The self-signed certificate expired on ${day}. Remove tls/ from the data folder; the next start creates a new one.`,
          )
        : pass(
            'Self-signed: senders encrypt but have no way to verify your identity. Set POSTERN_ACME=on, or POSTERN_TLS_CERT and POSTERN_TLS_KEY.',
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

/** The certificate that Postern gets from a CA by itself. */
function judgeIssued({ settings, clock, data_dir: dataDir }: PlatformServices): CheckVerdict {
  const nowUs = clock.nowUs();
  const { facts, failure, names, renewsAt, nextTryAt } = readStanding(settings, dataDir, nowUs);
  const tried = failure
    ? ` The last attempt, at ${formatTime(failure.at)}, failed: ${failure.reason}. ${adviseOn(failure.reason, names)} The next one is at ${formatTime(Math.max(nextTryAt, nowUs))}; systemctl reload postern tries at once.`
    : '';
  if (facts === null) {
    return flag(`There is no certificate from the CA yet, so a self-signed one is in use.${tried}`);
  }
  const day = formatTime(facts.endsAtUs).slice(0, 10);
  if (facts.endsAtUs < nowUs) return flag(`It expired on ${day}.${tried}`);
  if (facts.startsAtUs > nowUs) {
    return flag(
      `It is not valid before ${formatTime(facts.startsAtUs)}. Set the clock of this machine (timedatectl).`,
    );
  }
  const missing = names.filter((name) => !facts.covers(name));
  if (missing.length > 0) return flag(`It is not for ${missing.join(', ')} yet.${tried}`);
  const what = `From ${facts.issuer}, valid for ${names.join(', ')} until ${day}`;
  if (renewsAt === null) return flag(`${what}, but not from the CA that is set.${tried}`);
  // A renewal that has failed for days is worth a person's time; a single failure is not.
  const isLate = nowUs - renewsAt > (facts.endsAtUs - renewsAt) / 4;
  const verdict = `${what}; it is renewed on ${formatTime(renewsAt)}.${tried}`;
  return failure && isLate ? flag(verdict) : pass(verdict);
}

/** To the minute, in UTC. */
function formatTime(timeUs: number): string {
  return `${new Date(timeUs / 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function listNamesToProve({ settings }: PlatformServices): string[] {
  const names = new Set([mxHost(settings)]);
  if (settings.http_tls && settings.base_url !== null) names.add(new URL(settings.base_url).hostname);
  return [...names];
}
