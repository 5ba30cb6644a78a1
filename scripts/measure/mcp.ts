/** Measures the time from a mail's 250 until a waiting agent has its code, over each transport of MCP. */
import { loadavg } from 'node:os';
import { Agent } from '../../test/doors/mcp/agent.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from './figures.ts';
import { removeDataDir, startPostern } from './targets.ts';

const WAITING_MS = 30;

export async function benchMcp(report: Report, smoke: boolean): Promise<void> {
  const times = smoke ? 5 : 200;
  report.section(`MCP: from 250 to the result of wait_for_code, ${times} waits one after another`);
  report.line('', 'p50 ms', 'p99 ms');
  await using target = await startPostern();
  for (const door of ['HTTP', 'stdio'] as const) {
    await using agent = await (door === 'HTTP'
      ? Agent.overHttp(target.http, target.apiKey)
      : Agent.overStdio(target.http, target.apiKey));
    using client = await SmtpClient.greet({ port: target.smtpPort });
    const waitedMs: number[] = [];
    for (let index = 0; index < times; index++) {
      const code = String(100_000 + index * 7);
      const waiting = agent.use('wait_for_code', { inbox: target.inboxId }).then((answer) => {
        return { answer, atMs: performance.now() };
      });
      await Bun.sleep(WAITING_MS);
      await client.deliver(
        'shop@shop.example',
        target.recipient,
        `Subject: Your code\r\n\r\nYour verification code is ${code}.\r\n`,
      );
      const acceptedMs = performance.now();
      const { answer, atMs } = await waiting;
      if (answer.json.code !== code) throw new Error(`the agent got ${answer.json.code}, not ${code}`);
      // The result may be read before the 250.
      waitedMs.push(Math.max(0, atMs - acceptedMs));
    }
    report.line(door, shown(quantile(waitedMs, 0.5)), shown(quantile(waitedMs, 0.99)));
    report.goal(`${door}, p99`, quantile(waitedMs, 0.99), 'ms', { under: 10 });
  }
  report.line('load of the machine, last minute', shown(loadavg()[0]!));
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}
