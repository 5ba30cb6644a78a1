/** What SMTP faults leave behind: in the diary, in the metrics, of a mail and of a session. */
import { expect, test } from 'bun:test';
import { listWholeDiary } from '../../../src/features/ingest/diary/sql.ts';
import { startTrap } from '../../features/faults/trap.ts';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';

const raw = 'Subject: hello\r\n\r\nbody\r\n';

test('an injected fault is in the diary with its reply, and counted, and a refusal of our own is not', async () => {
  await using own = await startTrap();
  const { smtpPort, services, request } = own.appliance;
  await own.add({ stage: 'rcpt', recipient: 'one@*', reply: '452 4.2.2 full' });
  const { id } = await own.add({ stage: 'dot', drop: true });
  await sendMail({ port: smtpPort, from: 'app@x.test', to: ['one@y.test'], raw });
  await expect(sendMail({ port: smtpPort, from: 'app@x.test', to: ['two@y.test'], raw })).rejects.toThrow(
    'closed',
  );
  await own.untilHit(id);
  await services.diary.flush();
  const accountNo = services.capture!.accountNo;
  expect(listWholeDiary(services.store, Number.MAX_SAFE_INTEGER, 10)).toMatchObject([
    { recipient: 'two@y.test', reason: 'fault_on_demand', code: 0, account_no: accountNo },
    {
      recipient: 'one@y.test',
      reason: 'fault_on_demand',
      code: 452,
      reply: '4.2.2 full',
      envelope_from: 'app@x.test',
      helo: 'client.example',
      account_no: accountNo,
    },
  ]);
  const { text } = await request('GET', '/metrics');
  expect(text).toContain('postern_smtp_faults_total{stage="rcpt"} 1');
  expect(text).toContain('postern_smtp_faults_total{stage="dot"} 1');
  expect(text).not.toContain('postern_mails_refused_total{');
});

test('a delay longer than a client may stay silent does not count as the client’s silence', async () => {
  await using own = await startTrap(undefined, { smtp_idle_s: '1' });
  await own.add({ stage: 'connect', delay_ms: 1_500, times: 1 });
  await own.add({ stage: 'rcpt', delay_ms: 1_500, reply: '450 4.2.1 later' });
  const sent = await sendMail({ port: own.appliance.smtpPort, from: 'a@x.test', to: ['b@y.test'], raw });
  expect(sent.to.map(({ code }) => code)).toEqual([450]);
  const next = await SmtpClient.connect({ port: own.appliance.smtpPort });
  await next.expect(220);
  expect((await next.reply()).code).toBe(421);
});

test('a client that hangs up after its data has its mail stored, unless a rule asks for a fault', async () => {
  await using trap = await startTrap();
  const { smtpPort: port, request, apiKey: key = '' } = trap.appliance;
  for (const isAsked of [false, true]) {
    const address = `gone-${isAsked}@y.test`;
    if (isAsked) await trap.add({ stage: 'dot', recipient: address, reply: '450 4.2.1 later' });
    const client = await SmtpClient.greet({ port });
    for (const line of ['MAIL FROM:<a@x.test>', `RCPT TO:<${address}>`]) await client.say(line, 250);
    await client.say('DATA', 354);
    client.data(raw);
    client.finish();
    await client.closed();
    // A mail that came later is stored later.
    await sendMail({ port, from: 'a@x.test', to: ['after@y.test'], raw });
    const { status } = await request('GET', `/api/v1/inboxes/${address}/messages/latest`, { key });
    expect(status).toBe(isAsked ? 404 : 200);
  }
});
