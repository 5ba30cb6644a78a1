/** Measures the accuracy of codes and links in mails of projects that the weights have not seen, beside public extractors. */

import { join, resolve } from 'node:path';
import { extract, extractWith } from '../../src/platform/mail/extract/extract.ts';
import type { MailParts } from '../../src/platform/mail/extract/reading.ts';
import { ownMails } from '../../test/corpus/extraction/mails.ts';
import { fitModels } from './extraction-choices.ts';
import { type LabelledMail, readOutsideMails, readRobustMails } from './extraction-corpus.ts';
import { peers } from './extraction-peers.ts';
import {
  type Answer,
  computeInterval,
  type Part,
  percent,
  type Scores,
  score,
  scoreAt,
} from './extraction-scores.ts';
import { median, quantile, type Report, shown } from './figures.ts';
import { drawChart } from './plot.ts';

const EMPTY = { otp: null, otp_confidence: 0, magic_link: null, otp_candidates: [] };
const MAIL_MS = 3;
const SLOWEST_MS = 15;
const TIMED_TURNS = 5;
const FLOORS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
const PICTURE = join(resolve(import.meta.dir, '../..'), 'docs/pictures/extraction-curve.svg');

export async function benchExtraction(report: Report, smoke: boolean): Promise<void> {
  report.section('Codes and links extracted from mails: % right, and the 95 % interval');
  report.line('', 'mails', 'otp', '', 'magic_link', '', 'false codes', 'first three', 'ECE');
  const outside = await readOutsideMails();
  if (outside && !smoke) await benchUnseen(report, outside);
  if (outside) reportScores(report, 'outside, as shipped (fitted on them)', outside.map(readAnswer));
  else report.line('skipped: ../shared/corpus is missing');
  for (const set of ['fit', 'judge'] as const)
    reportScores(report, `ours (${set}), as shipped (fitted on them)`, ownMails(set).map(readAnswer));
  const held = [...ownMails('held'), ...ownMails('more'), ...ownMails('software')];
  reportScores(report, 'ours, no weight fitted on them', held.map(readAnswer));
  if (!smoke) reportPeers(report, 'ours', [...held, ...ownMails('judge')]);
  measureTime(report, [...(outside ?? []), ...held, ...ownMails('judge'), ...(await readRobustMails())]);
}

const readAnswer = (mail: LabelledMail): Answer => ({ mail, found: extract(mail) });

/** Reads each mail with weights that were fitted and calibrated without its project, or without its fifth of our own mails. */
async function benchUnseen(report: Report, outside: LabelledMail[]): Promise<void> {
  const judge = ownMails('judge');
  const fitted = fitModels([...outside, ...ownMails('fit'), ...judge]);
  const read = (mail: LabelledMail): Answer => ({
    mail,
    found: extractWith(mail, fitted.without(mail.source)),
  });
  const answers = outside.map(read);
  reportGoals(report, reportScores(report, 'outside, each project by the others', answers));
  const judged = judge.map(read);
  reportScores(report, 'ours (judge), each fifth by the others', judged);
  reportLanguages(report, [...answers, ...judged]);
  reportPeers(report, 'outside', outside);
  await reportCurve(report, answers, judged);
}

function reportScores(report: Report, name: string, answers: Answer[]): Scores {
  const scores = score(answers);
  const withInterval = (part: Part) => [shown(percent(part)), formatInterval(part)];
  report.line(
    name,
    String(scores.mails),
    ...withInterval(scores.otp),
    ...withInterval(scores.link),
    `${scores.falseCodes.right} of ${scores.falseCodes.of}`,
    shown(percent(scores.recall3)),
    scores.ece.toFixed(3),
  );
  return scores;
}

function formatInterval(part: Part): string {
  const [low, high] = computeInterval(part);
  return `${shown(low)}–${shown(high)}`;
}

function reportGoals(report: Report, scores: Scores): void {
  report.goal('otp, projects unseen', percent(scores.otp), '%', { atLeast: 98.5 });
  report.goal('magic_link, projects unseen', percent(scores.link), '%', { atLeast: 98.5 });
  report.goal('a code where there is none', percent(scores.falseCodes), '%', { under: 0.3 });
  report.goal('among the first three', percent(scores.recall3), '%', { atLeast: 99.5 });
  report.goal('calibration error', scores.ece, '', { under: 0.02 });
  const [worst] = scores.languages;
  if (worst) report.goal(`worst language (${worst.language})`, percent(worst), '%', { atLeast: 93 });
}

function reportLanguages(report: Report, answers: Answer[]): void {
  const { languages } = score(answers);
  report.section(
    'Languages with at least 8 mails with a code, outside and ours (judge), unseen as above: % exact',
  );
  for (const part of languages)
    report.line(part.language, shown(percent(part)), String(part.of), formatInterval(part));
}

/** Prints what each floor of confidence would report. The shipped floor is chosen from this. */
async function reportCurve(report: Report, outside: Answer[], judged: Answer[]): Promise<void> {
  report.section(
    'Floors of confidence: exact codes and false codes, outside and ours (judge), unseen as above',
  );
  report.line('', 'outside: exact', 'false', 'ours: exact', 'false');
  const rows = FLOORS.map((floor) => ({
    floor,
    outside: scoreAt(outside, floor),
    judged: scoreAt(judged, floor),
  }));
  for (const { floor, outside: one, judged: other } of rows) {
    const figures = [one.exact, one.falseCodes, other.exact, other.falseCodes];
    report.line(String(floor), ...figures.map((part) => shown(percent(part))));
  }
  const chart = drawChart({
    title: 'Codes: what another floor of confidence would report',
    xTitle: 'floor of confidence',
    yTitle: 'share of messages, %',
    xLabels: FLOORS.map(String),
    series: [
      { name: 'not exact', values: rows.map((row) => 100 - percent(row.outside.exact)) },
      { name: 'false codes', values: rows.map((row) => percent(row.outside.falseCodes)) },
      { name: 'not exact (ours)', values: rows.map((row) => 100 - percent(row.judged.exact)) },
      { name: 'false (ours)', values: rows.map((row) => percent(row.judged.falseCodes)) },
    ],
  });
  await Bun.write(PICTURE, chart);
}

function reportPeers(report: Report, name: string, mails: LabelledMail[]): void {
  const found = peers();
  if (found.length === 1) report.line('the other extractors could not be installed');
  for (const peer of found) {
    const answers = mails.map((mail) => ({ mail, found: { ...EMPTY, otp: peer.otp(mail) } }));
    const { otp, falseCodes } = score(answers);
    const figures = [
      shown(percent(otp)),
      formatInterval(otp),
      '-',
      '',
      `${falseCodes.right} of ${falseCodes.of}`,
    ];
    report.line(`${peer.name}, ${name}`, String(mails.length), ...figures);
  }
}

/** Returns each mail's time: the median of its turns, because a pause of the collector or the machine is not its fault. */
function measureTime(report: Report, mails: MailParts[]): void {
  // The code of a parser process is compiled only after thousands of mails.
  for (const mail of mails) extract(mail);
  const turns = Array.from({ length: TIMED_TURNS }, () => mails.map(timeExtract));
  const timesMs = mails.map((_, index) => median(turns.map((times) => times[index]!)));
  report.line('ms a mail, p50', shown(quantile(timesMs, 0.5)));
  report.goal('ms a mail, p99', quantile(timesMs, 0.99), 'ms', { under: MAIL_MS });
  report.goal('ms of the slowest mail', Math.max(...timesMs), 'ms', { under: SLOWEST_MS });
}

function timeExtract(mail: MailParts): number {
  const began = performance.now();
  extract(mail);
  return performance.now() - began;
}
