import type { RawSource } from '../../platform/mail/parsed.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ReportScope } from '../outbound/sending/bounce-address.ts';
import { applyReport } from '../outbound/sending/report.ts';
import type { MailOrigin, ParserPool } from './parser-pool.ts';

/**
 * Handles mail to a bounce address of ours: parses it like any mail from strangers, but does not keep it. Returns
 * whether it was a report. Settles when its content is stored; rejects when that fails.
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
    ? 'a delivery report was received'
    : 'mail to a bounce address was not a report in a known form';
  services.log.info(what, { session: mail.session, email: scope.emailId, bounced });
  return report !== null;
}
