/** Accounts of a server whose keys open a trap. */
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import type { Plan } from '../../../src/rules/plans.ts';
import { SmtpClient, type SmtpConnectOptions } from '../../peers/smtp-client.ts';
import type { Holder, RunningAppliance } from '../../start.ts';

export async function makeTrap(appliance: RunningAppliance, plan?: Plan): Promise<Holder> {
  const holder = await appliance.holder(plan);
  await setTrap(appliance, holder, true);
  return holder;
}

export async function setTrap(
  { services }: RunningAppliance,
  { account }: Holder,
  trap: boolean,
): Promise<void> {
  await services.store.write(changeAccountOp, { account_no: account.no, changes: { trap } });
}

export function formatPlain(user: string, password: string): string {
  return Buffer.from(`\0${user}\0${password}`).toString('base64');
}

/** Signed in: ready for MAIL FROM. */
export async function signIn(options: SmtpConnectOptions, key: string, user = 'anyone'): Promise<SmtpClient> {
  const client = await SmtpClient.greet(options);
  await client.say(`AUTH PLAIN ${formatPlain(user, key)}`, 235);
  return client;
}

export async function sendTo(client: SmtpClient, recipients: readonly string[], text = 'x'): Promise<void> {
  await client.say('MAIL FROM:<app@example.org>', 250);
  for (const recipient of recipients) await client.say(`RCPT TO:<${recipient}>`, 250);
  await client.say('DATA', 354);
  client.data(`From: app@example.org\r\nSubject: ${text}\r\n\r\nYour verification code is 482913\r\n`);
  await client.expect(250);
}
