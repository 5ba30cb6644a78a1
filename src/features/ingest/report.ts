import type { RawSource } from '../../platform/mail/parsed.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ReportScope } from '../outbound/sending/bounce-address.ts';
import { applyReport } from '../outbound/sending/report.ts';
import type { MailOrigin, ParserPool } from './parser-pool.ts';

/**
 * A mail to the bounce address of an email of ours: read by a parser, like any stranger's, and kept nowhere. Settles
 * when what it says is in the store; rejects when that could not be written. Gives whether it was a report.
 */
export async function takeReport(
  services: PlatformServices,
  parsers: ParserPool,
  mail: { raw: RawSource; session: string } & MailOrigin,
  scope: ReportScope,
): Promise<boolean> {
  const report = await parsers.report(mail.raw, mail);
  const bounced = report ? await applyReport(services, scope, report) : 0;
  const what = report
    ? 'a delivery report came'
    : 'mail to a bounce address was no report that is understood';
  services.log.info(what, { session: mail.session, email: scope.emailId, bounced });
  return report !== null;
}
