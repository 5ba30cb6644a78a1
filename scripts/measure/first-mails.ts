/** Measures what a test experiences: the first mails after a start, one after another, while little code is compiled. */
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { median, type Report, shown } from './figures.ts';
import { mails } from './mails.ts';
import { findGoPeers, type StartPeer, startMailDev } from './peers.ts';
import { isPostern, removeDataDir, startCapture, startPostern } from './targets.ts';

const MAILS = 20;
/** The time that a test takes from the server's ready line to its first mail. */
const BEFORE_MS = 300;
/** The time that a test takes between two mails. */
const BETWEEN_MS = 3;

export async function benchFirstMails(report: Report, smoke: boolean): Promise<void> {
  report.section(`The first ${MAILS} mails of 5 KB after a start, MAIL FROM to 250`);
  report.line('', 'the first, ms', 'the second', `all ${MAILS}`);
  const peers = smoke ? [] : [startMailDev, ...findGoPeers(['mailpit'])];
  const starts: StartPeer[] = [() => startPostern(), startCapture, ...peers];
  const all = new Map<string, number[][]>();
  for (let round = 0; round < (smoke ? 1 : 5); round++) {
    for (const start of starts) {
      const target = await start();
      await Bun.sleep(BEFORE_MS);
      const times = await sendMails(target.smtpPort, target.recipient);
      all.set(target.name, [...(all.get(target.name) ?? []), times]);
      await target[Symbol.asyncDispose]();
      if (isPostern(target)) removeDataDir(target.dataDir);
    }
  }
  for (const [name, rounds] of all) {
    const middle = (pick: (times: number[]) => number) => shown(median(rounds.map(pick)));
    const whole = middle((times) => times.reduce((sum, ms) => sum + ms));
    report.line(
      name,
      middle(([first]) => first!),
      middle(([, second]) => second!),
      whole,
    );
  }
}

/** Returns the milliseconds of each mail. */
async function sendMails(port: number, recipient: string): Promise<number[]> {
  using client = await SmtpClient.greet({ port });
  const times: number[] = [];
  for (let index = 0; index < MAILS; index++) {
    const began = performance.now();
    await client.deliver('bench@shop.example', recipient, mails.plain5k());
    times.push(performance.now() - began);
    await Bun.sleep(BETWEEN_MS);
  }
  return times;
}
