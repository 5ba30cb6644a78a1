/** Sends a mail to this server in the usual way: it is accepted by SMTP, stored, parsed, read back and erased. */
import { randomInt } from 'node:crypto';
import { makeReachable } from '../../platform/core/host-port.ts';
import { newId } from '../../platform/core/id.ts';
import { readReason } from '../../platform/core/thrown.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { readPieces } from '../messages/raw.ts';
import { findLatestMessage, findOwnRaw } from '../messages/sql.ts';
import { type Check, type CheckVerdict, flag, pass } from './check.ts';
import { chooseTestAccount } from './sql.ts';
import { type Talk, talk, type Where } from './talk.ts';
import { closeTrialInbox, openTrialInbox, type TrialInbox } from './writes.ts';

export const roundTripCheck: Check = {
  name: 'round_trip',
  async run(services) {
    const accountNo = chooseTestAccount(services.store);
    if (accountNo === null) {
      return flag(
        'There is no account, so no mail can be received. Create one: postern account create --email you@example.com',
      );
    }
    const domain = services.settings.mail_domain;
    const inbox = await services.store.write(openTrialInbox, { account_no: accountNo, domain });
    try {
      return await withDoor(services, (where) => sendAndRead(services, where, inbox));
    } finally {
      await services.store.write(closeTrialInbox, inbox);
    }
  },
};

async function withDoor(
  services: PlatformServices,
  run: (where: Where) => Promise<CheckVerdict>,
): Promise<CheckVerdict> {
  const { smtp } = services.listening;
  const open = smtp.find(({ tls }) => !tls) ?? smtp[0];
  if (open) return run({ ...makeReachable(open), tls: open.tls });
  const trial = await services.openTrialDoor();
  try {
    return await run({ host: '127.0.0.1', port: trial.port });
  } finally {
    await trial.close();
  }
}

async function sendAndRead(
  services: PlatformServices,
  where: Where,
  inbox: TrialInbox,
): Promise<CheckVerdict> {
  const beganMs = performance.now();
  const code = String(randomInt(100_000, 1_000_000));
  const raw = composeMail(inbox.address, code, newId('request'));
  try {
    await talk(where, (open) => send(open, inbox.address, raw));
  } catch (fault) {
    return flag(
      `A mail to ${inbox.address} was not accepted: ${readReason(fault)}. See the other checks and the log.`,
    );
  }
  const message = findLatestMessage(services.store, inbox.no);
  const kept = message && findOwnRaw(services.store, inbox.account_no, message.id);
  if (!message || !kept)
    return flag('A mail was answered 250 but is not stored. This is a bug: keep the log, and report it.');
  if (!Buffer.concat([...readPieces(services.store, kept)]).equals(raw)) {
    return flag('A mail was not stored as it was sent. This is a bug: keep the log, and report it.');
  }
  if (message.otp !== code) {
    return flag(
      "A mail was stored but not parsed: its code was not found. See the parser's lines in the log.",
    );
  }
  return pass(`A mail was accepted, read and erased in ${Math.round(performance.now() - beganMs)} ms.`);
}

async function send({ say }: Talk, address: string, raw: Buffer): Promise<void> {
  await say(null, 220);
  await say('EHLO doctor.invalid\r\n', 250);
  // The null reverse-path, so that no bounce is ever sent.
  await say('MAIL FROM:<>\r\n', 250);
  await say(`RCPT TO:<${address}>\r\n`, 250);
  await say('DATA\r\n', 354);
  await say(Buffer.concat([raw, Buffer.from('.\r\n')]), 250);
  await say('QUIT\r\n', 221);
}

function composeMail(address: string, code: string, id: string): Buffer {
  const lines = [
    `From: Postern doctor <${address}>`,
    `To: <${address}>`,
    `Message-ID: <${id}@doctor.invalid>`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    'Subject: Your verification code',
    '',
    `Your verification code is ${code}`,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
