/** Applies a delivery report to the email that it is about (docs/decisions.md, Outbound). */

import type { DeliveryReport, ReportedRecipient } from '../../../platform/mail/dsn.ts';
import { cleanText } from '../../../platform/net/clean-text.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { sending as rules } from '../../../rules/sending.ts';
import type { ReportScope } from './bounce-address.ts';
import { findEmailById, type Reported } from './sql.ts';
import { type ReportedFailures, recordReportOp } from './writes.ts';

/** Marks the recipients that failed as `bounced`, and returns how many there were once that is stored. */
export async function applyReport(
  services: PlatformServices,
  { emailId, domain }: ReportScope,
  report: DeliveryReport,
): Promise<number> {
  const all = findEmailById(services.store, emailId)?.recipients ?? [];
  const recipients = domain === null ? all : all.filter((recipient) => recipient.domain === domain);
  const failures = findFailures(recipients, report);
  if (failures.length === 0) return 0;
  return services.store.write(recordReportOp, { id: emailId, failures });
}

/** Returns the recipients that the report calls failed. Delays and successes change nothing. */
function findFailures(
  recipients: Reported['recipients'],
  report: DeliveryReport,
): ReportedFailures['failures'] {
  const failed = report.recipients.filter(({ action }) => action === 'failed');
  const found = new Map<number, ReportedRecipient>();
  for (const one of failed) {
    const named = recipients.filter(({ email }) => one.addresses.includes(email.toLowerCase()));
    // Forwarded mail is reported under another address. With a single recipient it is clear who is meant.
    const [only, ...more] = recipients;
    const meant = named.length > 0 ? named : only && more.length === 0 && failed.length === 1 ? [only] : [];
    for (const { no } of meant) if (!found.has(no)) found.set(no, one);
  }
  return [...found].map(([no, one]) => ({
    no,
    response: describeFailure(one),
    suppress: isPermanent(one) ? describeFailure(one) : null,
  }));
}

function isPermanent({ status }: ReportedRecipient): boolean {
  return status?.startsWith('5.') === true;
}

function describeFailure({ status, text }: ReportedRecipient): string {
  const what = cleanText(text, rules.replyCharsKept) || 'no reason given';
  const isNamed = status === null || status.endsWith('.0.0') || text.includes(status);
  return `reported: ${isNamed ? '' : `${status} `}${what}`.slice(0, rules.replyCharsKept);
}
