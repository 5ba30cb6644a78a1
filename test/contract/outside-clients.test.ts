/** Clients on PyPI that others have written for the same API work with only their base URL and key changed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { environment } from '../doors/operator/command-process.ts';
import { installPython } from '../peers/installed.ts';
import { runSteps } from '../peers/python-steps.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

const packages = ['mailsocket==0.3.1', 'mailsocket-mcp==0.4.1', 'mcp==2.3.0'];
const python = await installPython('mailsocket', packages);
const LINK = 'https://app.example/verify?token=9f8e7d6c5b4a39281706f5e4d3c2b1a0';

describe.skipIf(python === null)('a client written by others', () => {
  let appliance: RunningAppliance;
  let key: string;
  beforeAll(async () => {
    appliance = await startAppliance();
    ({ key } = await appliance.holder());
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  async function run(which: 'sdk' | 'mcp') {
    const script = `${import.meta.dir}/../peers/mailsocket-client.py`;
    const command = [`${python}/bin/python`, script, which, `${appliance.url}/api/v1`, key];
    const send = (to: string, raw: string) =>
      sendMail({ port: appliance.smtpPort, from: 'shop@example.org', to: [to], raw });
    return runSteps(command, environment({}), async ({ code_to, link_to }) => {
      if (code_to) {
        await send(
          `${code_to}`,
          'From: shop@example.org\r\nSubject: Your code\r\n\r\nYour verification code is 493817.\r\n',
        );
      }
      if (link_to)
        await send(`${link_to}`, `Subject: Confirm\r\n\r\nConfirm your email address: ${LINK}\r\n`);
    });
  }

  test('mailsocket for Python creates, waits, lists, pages, filters, reads and deletes', async () => {
    expect(await run('sdk')).toMatchObject({
      detail: [true, 0, false],
      listed: [true],
      code: '493817',
      is_sure: true,
      link: LINK,
      either: LINK,
      pages: ['Confirm', true, 'Your code', false],
      filtered: 1,
      latest: 'Confirm',
      text: 'Confirm',
      timed_out: true,
      // The contract has no such operation (docs/api-v1.md).
      test_code: 'not_found',
      deleted: 'not_found',
      wrong_key: 'authentication_required',
    });
  }, 90_000);

  test('mailsocket-mcp offers its tools to an agent, and each works', async () => {
    expect(await run('mcp')).toMatchObject({
      tools: expect.arrayContaining(['create_inbox', 'wait_for_otp', 'wait_for_link', 'get_latest']),
      code: '493817',
      is_sure: true,
      link: LINK,
      messages: 2,
      latest: 'Confirm',
      deleted: true,
    });
  }, 90_000);
});
