/** Accuracy of extracted codes and links, compared with public extractors. */

import { extract, extractWith } from '../../src/platform/mail/extract/extract.ts';
import { ownMails } from '../../test/corpus/extraction/mails.ts';
import { fitModels } from './extraction-choices.ts';
import { type LabelledMail, readOutsideMails } from './extraction-corpus.ts';
import { peers } from './extraction-peers.ts';
import { type Answer, type Scores, score } from './extraction-scores.ts';
import { quantile, type Report, shown } from './figures.ts';

export async function benchExtraction(report: Report, smoke: boolean): Promise<void> {
  report.section('Codes and links extracted from mails, % right');
  report.line('', 'mails', 'otp', 'magic_link', 'false codes', 'first three', 'ECE', 'worst language');
  const outside = await readOutsideMails();
  const ownFit = ownMails('fit');
  if (outside) {
    const fitted = [...outside, ...ownFit];
    if (!smoke)
      reportGoals(
        report,
        tell(report, 'outside, each by the other sources', crossValidated(fitted, outside)),
      );
    tell(report, 'outside, as shipped (fitted on them)', outside.map(answerOf));
    if (!smoke) tellPeers(report, 'outside', outside);
  } else report.line('skipped: ../shared/corpus/transactional is missing');
  tell(report, 'ours, as shipped (fitted on them)', ownFit.map(answerOf));
  const held = [...ownMails('held'), ...ownMails('more'), ...ownMails('software')];
  tell(report, 'ours, no weight fitted on them', held.map(answerOf));
  if (!smoke) tellPeers(report, 'ours', held);
  measureTime(report, [...(outside ?? []), ...held]);
}

const answerOf = (mail: LabelledMail): Answer => ({ mail, found: extract(mail) });

/** Each mail is read with weights fitted and calibrated without its source. */
function crossValidated(fitted: LabelledMail[], judged: LabelledMail[]): Answer[] {
  return [...new Set(judged.map(({ source }) => source))].flatMap((source) => {
    const models = fitModels(fitted.filter((mail) => mail.source !== source));
    return judged
      .filter((mail) => mail.source === source)
      .map((mail) => ({ mail, found: extractWith(mail, models) }));
  });
}

function tell(report: Report, name: string, answers: Answer[]): Scores {
  const scores = score(answers);
  const { worst } = scores;
  report.line(
    name,
    String(scores.mails),
    ...[scores.otp, scores.link, scores.falseCodes, scores.recall3].map(shown),
    scores.ece.toFixed(3),
    `${worst.language} ${shown(worst.right)}`,
  );
  return scores;
}

function reportGoals(report: Report, scores: Scores): void {
  report.goal('otp, sources unseen', scores.otp, '%', { atLeast: 98 });
  report.goal('magic_link, sources unseen', scores.link, '%', { atLeast: 98 });
  report.goal('a code where there is none', scores.falseCodes, '%', { under: 0.5 });
  report.goal('among the first three', scores.recall3, '%', { atLeast: 99 });
  report.goal('calibration error', scores.ece, '', { under: 0.03 });
  report.goal('worst language', scores.worst.right, '%', { atLeast: 93 });
}

function tellPeers(report: Report, name: string, mails: LabelledMail[]): void {
  const found = peers();
  if (found.length === 0) report.line('peers could not be installed');
  for (const peer of found) {
    const answers = mails.map((mail) => ({ mail, found: { ...EMPTY, otp: peer.otp(mail) } }));
    const { otp, falseCodes } = score(answers);
    report.line(`${peer.name}, ${name}`, String(mails.length), shown(otp), '-', shown(falseCodes));
  }
}

const EMPTY = { otp: null, otp_confidence: 0, magic_link: null, otp_candidates: [] };
const MAIL_MS = 5;

function measureTime(report: Report, mails: LabelledMail[]): void {
  for (const mail of mails.slice(0, 100)) extract(mail);
  const timesMs = mails.map((mail) => {
    const began = performance.now();
    extract(mail);
    return performance.now() - began;
  });
  report.line('ms a mail, p50', shown(quantile(timesMs, 0.5)));
  report.goal('ms a mail, p99', quantile(timesMs, 0.99), 'ms', { under: MAIL_MS });
}
