import type { CaptureOwner } from '../../features/accounts/capture-account.ts';
import type { OidcServices } from '../../features/accounts/oidc/sign-in.ts';
import type { CertificateInUse } from '../../features/certificates/in-use.ts';
import type { LinkServices } from '../../features/checks/fetch-links.ts';
import type { DoctorServices } from '../../features/doctor/doctor.ts';
import type { DomainServices } from '../../features/domains/check.ts';
import type { FaultServices } from '../../features/faults/services.ts';
import type { DiaryServices } from '../../features/ingest/diary/diary.ts';
import type { IngestServices } from '../../features/ingest/parser-pool.ts';
import type { ReleaseServices } from '../../features/outbound/release/release.ts';
import type { WaitServices } from '../../features/waits/waits.ts';
import type { WebhookServices } from '../../features/webhooks/dispatcher.ts';
import type { LogTail } from '../../platform/core/log-tail.ts';
import type { Observed } from '../../platform/core/observed.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import type { HeldServices } from '../../platform/services.ts';
import type { LiveRoom } from './live-room.ts';
import type { SetUp } from './set-up.ts';

/** What only the operator's pages read; src/app/doors.ts provides it. */
export interface Backstage {
  logTail: LogTail;
  observed: Observed;
  /** Where each setting came from. */
  sources: LoadedSettings['sources'];
  /** Null when the server can accept mail and requests, otherwise the reason why not. */
  ready(): string | null;
  /** Null where no door uses TLS. */
  certificate: CertificateInUse | null;
  startedAt: number;
}

/** What the dashboard's routes need: the services of the features they show, and their own. */
export interface DashboardServices
  extends OidcServices,
    LinkServices,
    HeldServices,
    IngestServices,
    WaitServices,
    WebhookServices,
    DomainServices,
    DiaryServices,
    FaultServices,
    ReleaseServices,
    DoctorServices {
  readonly liveRoom: LiveRoom;
  readonly backstage: Backstage;
  readonly setUp: SetUp;
  /** The only account in capture mode, whose mail everyone on this machine sees; null when people sign in. */
  readonly capture: CaptureOwner | null;
}
