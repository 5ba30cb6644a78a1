import type { SignInServices } from '../../features/accounts/sessions/sign-in.ts';
import type { DoctorServices } from '../../features/doctor/examine.ts';
import type { DomainServices } from '../../features/domains/check.ts';
import type { DiaryServices } from '../../features/ingest/diary/diary.ts';
import type { MessageServices } from '../../features/messages/streamed.ts';
import type { WaitServices } from '../../features/waits/waits.ts';
import type { WebhookServices } from '../../features/webhooks/dispatcher.ts';
import type { LogTail } from '../../platform/core/log-tail.ts';
import type { Observed } from '../../platform/core/observed.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import type { LiveRoom } from './live-room.ts';
import type { SetUp } from './set-up.ts';

/** What only the operator's pages look at; src/app/doors.ts gives it. */
export interface Backstage {
  log_tail: LogTail;
  observed: Observed;
  /** Where each setting came from. */
  sources: LoadedSettings['sources'];
  /** Null when mail and requests can be taken, else the reason why not. */
  ready(): string | null;
  started_at: number;
}

/** What the routes of the dashboard need: those of the features that they show, and their own. */
export interface DashboardServices
  extends SignInServices,
    MessageServices,
    WaitServices,
    WebhookServices,
    DomainServices,
    DiaryServices,
    DoctorServices {
  readonly liveRoom: LiveRoom;
  readonly backstage: Backstage;
  readonly setUp: SetUp;
  /** The one account of capture mode, whose mail is shown to whoever is on this machine; null when people sign in. */
  readonly capture: { account_no: number; dashboardToken: string } | null;
}
