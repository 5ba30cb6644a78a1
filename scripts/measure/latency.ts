/** Measures the latency of one mail: from MAIL FROM to 250, and then until it can be read. */
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, ratio, shown } from './figures.ts';
import { mails } from './mails.ts';
import { startMailDev, startSmtpSink } from './peers.ts';
import { flood } from './processes.ts';
import { isPostern, type Postern, removeDataDir, startPostern } from './targets.ts';

export async function benchLatency(report: Report, smoke: boolean): Promise<void> {
  report.section('Latency: 5 KB plain, one after another, MAIL FROM to 250');
  report.line('', 'p50 ms', 'p99 ms', 'p50 to MailDev');
  const seconds = smoke ? 1 : 4;
  const results: [string, { p50Ms: number; p99Ms: number }][] = [];
  for (const start of [() => startPostern(), startMailDev, startSmtpSink]) {
    await using target = await start();
    const where = { port: target.smtpPort, recipient: target.recipient };
    const how = { connections: 1, reuse: true, pipelining: true, messages: 1_000_000, seconds, warmUpS: 1 };
    results.push([target.name, await flood({ ...where, ...how, mail: 'plain5k' })]);
    if (isPostern(target)) await benchRead(report, target, smoke ? 20 : 200);
  }
  const maildev = results.find(([name]) => name === 'MailDev')![1];
  for (const [name, { p50Ms, p99Ms }] of results) {
    report.line(name, shown(p50Ms), shown(p99Ms), ratio(p50Ms / maildev.p50Ms));
  }
}

/** After 250 the message must be readable, so this times one read. */
async function benchRead(report: Report, target: Postern, times: number): Promise<void> {
  using client = await SmtpClient.greet({ port: target.smtpPort });
  const to250Ms: number[] = [];
  const toReadMs: number[] = [];
  for (let index = 0; index < times; index++) {
    const subject = `latency ${index}`;
    const began = performance.now();
    await client.deliver(
      'bench@shop.example',
      target.recipient,
      mails.plain5k().replace(/^Subject: .*$/m, `Subject: ${subject}`),
    );
    to250Ms.push(performance.now() - began);
    const { data } = (await target.get(`/inboxes/${target.inboxId}/messages/latest`)) as {
      data: { subject: string };
    };
    if (data.subject !== subject)
      throw new Error(`after 250 the newest message is ${data.subject}, not ${subject}`);
    toReadMs.push(performance.now() - began);
  }
  const both = (values: number[]) => [shown(quantile(values, 0.5)), shown(quantile(values, 0.99))];
  report.line('postern, without PIPELINING', ...both(to250Ms));
  report.line('postern, until it was read', ...both(toReadMs));
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}
