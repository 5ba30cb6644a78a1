/** Reads the status of the CA's certificate from the data folder, so that a command without a server knows it too. */
import type { Settings } from '../../platform/core/settings.ts';
import {
  type AcmeAttempt,
  findNextAttemptAt,
  findRenewalAt,
  type History,
  isSameNames,
  type Want,
} from '../../platform/net/acme/pace.ts';
import { AcmeShelf } from '../../platform/net/acme/shelf.ts';
import {
  type Certificate,
  type CertificateFacts,
  readCertificateFacts,
} from '../../platform/net/certificate-pair.ts';
import { listCertificateNames } from './names.ts';

export interface CertificateStatus {
  names: readonly string[];
  /** Null if there is no usable certificate. */
  facts: CertificateFacts | null;
  certificate: Certificate | null;
  /** The certificate that the settings ask for, which decides when to try (platform/net/acme/pace.ts). */
  want: Want;
  renewsAt: number | null;
  /** The last attempt, if it failed. */
  failure: { at: number; reason: string } | null;
  /** When the names are checked or the CA is asked next. */
  nextTryAt: number;
}

export function readCertificateStatus(
  settings: Settings,
  dataDir: string,
  nowUs: number,
  history: History = new AcmeShelf(dataDir).readHistory(nowUs),
): CertificateStatus {
  const issued = new AcmeShelf(dataDir).readCertificate();
  const certificate = issued.kind === 'certificate' ? issued.certificate : null;
  const facts = certificate && readCertificateFacts(certificate.cert);
  const names = listCertificateNames(settings);
  const directory = settings.acme_directory;
  const isWanted =
    facts !== null &&
    issued.kind === 'certificate' &&
    (issued.directory === directory || issued.directory === '') &&
    isSameNames(facts.names, names);
  const want: Want = { directory, names, inUse: isWanted ? facts : null };
  const { blocked } = history;
  return {
    names,
    facts,
    certificate,
    want,
    renewsAt: isWanted ? findRenewalAt(want) : null,
    failure: findFailure(history),
    nextTryAt: Math.max(findNextAttemptAt(history, want), blocked?.nextAt ?? 0),
  };
}

function findFailure({ attempts, blocked }: History): CertificateStatus['failure'] {
  if (blocked) return { at: blocked.at, reason: blocked.reason };
  const last: AcmeAttempt | undefined = attempts.at(-1);
  if (!last || last.outcome === 'issued') return null;
  return { at: last.at, reason: last.reason ?? 'it was interrupted, or is still in progress' };
}
