import { SESSION_IDLE_S } from '../../features/accounts/sessions/sql.ts';
import { SESSION_LIFETIME_S } from '../../features/accounts/sessions/writes.ts';
import { INVITE_US } from '../../features/accounts/writes.ts';
import { LABEL_CHARS_MAX } from '../../features/inboxes/routes.ts';
import { DAY_US } from '../../platform/core/clock.ts';
import { deliveries } from '../../rules/deliveries.ts';
import { diary } from '../../rules/diary.ts';
import { DAY_S, HOUR_S } from '../../rules/durations.ts';
import { outbound } from '../../rules/outbound.ts';
import { IDS_MAX } from './api/mail.ts';
import { DELIVERIES_SHOWN } from './api/webhooks.ts';
import type { Bounds } from './wire.ts';

/** Sent with the visitor, so that no page repeats a number. */
export const bounds: Bounds = {
  label_chars: LABEL_CHARS_MAX,
  message_ids: IDS_MAX,
  deliveries_shown: DELIVERIES_SHOWN,
  delivery_days: deliveries.keptS / DAY_S,
  previous_secret_hours: deliveries.previousSecretS / HOUR_S,
  refused_mail_days: diary.keptDays,
  suppression_days: outbound.suppressedS / DAY_S,
  invite_days: INVITE_US / DAY_US,
  session_idle_days: SESSION_IDLE_S / DAY_S,
  session_days: SESSION_LIFETIME_S / DAY_S,
  attachments: outbound.attachmentsMax,
  attachment_bytes: outbound.attachmentsBytesMax,
};
