import type { ReportScope } from '../outbound/sending/bounce-address.ts';
import { applyReport } from '../outbound/sending/report.ts';
import type { IngestServices } from './parser-pool.ts';
import type { ReceivedMail } from './receive.ts';

/**
 * Handles mail to a bounce address of ours. It is parsed like any mail from strangers, but not kept. Returns whether it
 * was a delivery report. Resolves when what it reports is stored; rejects if that fails.
 */
export async function receiveReport(
  services: IngestServices,
  { raw, size, client_address, session }: Omit<ReceivedMail, 'recipients'>,
  scope: ReportScope,
): Promise<boolean> {
  const report = await services.parsers.report(raw, { clientAddress: client_address, size });
  const bounced = report ? await applyReport(services, scope, report) : 0;
  const message = report
    ? 'a delivery report was received'
    : 'mail to a bounce address was not a report in a known form';
  services.log.info(message, { session, email: scope.emailId, bounced });
  return report !== null;
}
