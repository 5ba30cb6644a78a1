/** The 42 mails that scripts/screenshots beside and scripts/bench dashboard send to both products. */
import { sendMail } from '../../test/peers/smtp-client.ts';
import { codeMails } from './codes.ts';
import { everydayMails } from './everyday.ts';
import type { SampleMail } from './mail.ts';
import { newsletters } from './newsletters.ts';

const all = [...everydayMails, ...newsletters, ...codeMails];

/** Names of the mails that are sent last, so that the top of the list shows one of each kind. */
const newest = [
  'thread-4',
  'build-log',
  'code-arabic',
  'receipt',
  'link-sign-in',
  'newsletter-dark',
  'five-recipients',
  'attachments',
  'code-japanese',
  'newsletter-shop',
  'code-english',
];

const rank = ({ name }: SampleMail) => newest.indexOf(name);

/** All mails, in the order in which they are sent. */
export const sampleMails: readonly SampleMail[] = all.toSorted((one, other) => rank(one) - rank(other));

export async function sendSamples(port: number): Promise<void> {
  for (const { name, from, to, build } of sampleMails) {
    const { data } = await sendMail({ port, from, to, raw: await build() });
    if (data?.code !== 250) throw new Error(`${name} was refused: ${data?.code} ${data?.lines.join(' ')}`);
  }
}
