/** `scripts/bench extraction --hostile`: times 500 crafted mails, none of which may keep the parser busy. */
import { extract } from '../../src/platform/mail/extract/extract.ts';
import { hostileHtmls, hostileTexts, MIB } from '../../test/corpus/extraction/hostile.ts';
import { quantile, type Report, shown } from './figures.ts';

const SIZES = [4 * 1024, 32 * 1024, 256 * 1024, MIB, 4 * MIB];
const MAILS = 500;
const WITHIN_MS = 200;

export async function benchHostile(report: Report, smoke: boolean): Promise<void> {
  report.section('Codes and links: crafted mails');
  const mails = smoke ? craftMails().slice(0, 20) : craftMails();
  const timesMs = mails.map(({ text, html }) => {
    const subject = (text === '' ? html : text).slice(0, 2000);
    const began = performance.now();
    extract({ subject, from: subject, text, html });
    return performance.now() - began;
  });
  report.line('mails', String(mails.length));
  report.line('ms a mail, p50', shown(quantile(timesMs, 0.5)));
  report.line('ms a mail, p99', shown(quantile(timesMs, 0.99)));
  const slowestMs = Math.max(...timesMs);
  report.line('slowest', mails[timesMs.indexOf(slowestMs)]!.what);
  report.goal('ms of the slowest', slowestMs, 'ms', { under: WITHIN_MS });
}

/** Yields each kind of mail in each size, then pairs of a text and an HTML part of different kinds. */
function craftMails(): { what: string; text: string; html: string }[] {
  const mails = SIZES.flatMap((size) => [
    ...Object.entries(hostileTexts(size)).map(([what, text]) => ({
      what: `${size} of ${what}`,
      text,
      html: '',
    })),
    ...Object.entries(hostileHtmls(size)).map(([what, html]) => ({
      what: `${size} of ${what}`,
      text: '',
      html,
    })),
  ]);
  const texts = Object.entries(hostileTexts(256 * 1024));
  const htmls = Object.entries(hostileHtmls(256 * 1024));
  for (let at = 0; mails.length < MAILS; at++) {
    const [textKind, text] = texts[at % texts.length]!;
    const [htmlKind, html] = htmls[(at * 7 + Math.floor(at / texts.length)) % htmls.length]!;
    mails.push({ what: `${textKind} and ${htmlKind}`, text, html });
  }
  return mails;
}
