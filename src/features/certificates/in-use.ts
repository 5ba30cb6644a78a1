import { SECOND_US } from '../../platform/core/clock.ts';
import {
  type Certificate,
  type CertificateFacts,
  readCertificateFacts,
} from '../../platform/net/certificate-pair.ts';
import type { PlatformServices } from '../../platform/services.ts';

/** The certificate that SMTP and https present to new connections. */
export class CertificateInUse {
  private known: CertificateFacts;

  constructor({ meters, clock }: Pick<PlatformServices, 'meters' | 'clock'>, certificate: Certificate) {
    this.known = readCertificateFacts(certificate.cert);
    meters.gauge('certificate_expires_seconds', () =>
      Math.floor((this.known.endsAtUs - clock.nowUs()) / SECOND_US),
    );
  }

  get facts(): CertificateFacts {
    return this.known;
  }

  setCertificate({ cert }: Certificate): void {
    this.known = readCertificateFacts(cert);
  }
}
