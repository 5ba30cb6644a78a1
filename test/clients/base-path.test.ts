/** Clients and commands accept the URL of a server that has a path. */
import { expect, test } from 'bun:test';
import { Postern } from '../../clients/typescript/src/index.ts';
import { environment } from '../doors/operator/command-process.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { program } from '../program.ts';
import { startAppliance } from '../start.ts';

test('the client for TypeScript and the commands reach a server under a path', async () => {
  await using appliance = await startAppliance({ settings: { base_url: 'https://home.example/mail' } });
  const holder = await appliance.holder();
  const url = `${appliance.url}/mail`;
  for (const given of [url, `${url}/`, `${url}/api/v1`]) {
    const client = new Postern({ url: given, apiKey: holder.key });
    const inbox = await client.inboxes.create();
    const raw = `To: ${inbox.address}\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n`;
    await sendMail({ port: appliance.smtpPort, from: 'app@example.com', to: [inbox.address], raw });
    expect((await inbox.waitForCode()).code).toBe('493817');
    const run = (command: string[]) =>
      Bun.spawn([...program, ...command], {
        env: environment({ POSTERN_URL: given.replace('/api/v1', ''), POSTERN_API_KEY: holder.key }),
        stdout: 'pipe',
      });
    const waited = run(['wait', inbox.address, '--code', '--since', '2020-01-01T00:00:00Z']);
    expect([(await waited.stdout.text()).trim(), await waited.exited]).toEqual(['493817', 0]);
    expect(await run(['ready']).exited).toBe(0);
  }
}, 30_000);
