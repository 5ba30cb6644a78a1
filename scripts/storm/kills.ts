/**
 * SIGKILL at random moments, during mail, webhooks, sending and backups at once, then a start on the same folder. At
 * the end, everything that was answered must be accounted for, and every successful backup valid.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAppliance } from '../../src/app/app.ts';
import { createAccount } from '../../src/features/accounts/create.ts';
import { createLog } from '../../src/platform/core/log.ts';
import { settingsFrom } from '../../src/platform/core/settings.ts';
import {
  postern,
  posternJson,
  type Serving,
  startServing,
} from '../../test/doors/operator/command-process.ts';
import { readyDomain } from '../../test/features/domains/ready.ts';
import { makeSurroundings, readEvent } from '../../test/features/webhooks/hooked.ts';
import { startMailServer } from '../../test/peers/mail-server.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { countSubjects, type Inbox, makeInbox, type Outcome, type Part, SENDER } from './stage.ts';

const ROUNDS = { full: 40, short: 3 };
const LOAD_MS = { least: 150, more: 900 };
const SENDERS = 4;
const DOMAIN = 'shop.test';
const SETTLE_MS = 120_000;

/** Everything that was answered: mails and emails by subject. */
interface Answered {
  mails: Set<string>;
  emails: Set<string>;
  backups: number;
}

export const kills: Part = {
  meaning: 'SIGKILLs during mail, webhooks, sending and backups, all at once',
  async run(length): Promise<Outcome> {
    const rounds = ROUNDS[length];
    await using around = await makeSurroundings();
    await using far = await startMailServer();
    around.dns.set('far.test', 'MX', { records: [{ type: 'MX', data: '10 mx.far.test' }] });
    around.dns.setAddresses('mx.far.test', far.host);
    const dir = mkdtempSync(join(tmpdir(), 'postern-storm-kills-'));
    const env = makeEnvironment(dir, around.settings, far.port);
    const answered: Answered = { mails: new Set(), emails: new Set(), backups: 0 };
    const backup = join(dir, 'backup.db');
    try {
      const apiKey = await seed(env.POSTERN_DATA_DIR!);
      let server = await startServing(['serve'], env);
      const inbox = await makeInbox(server, apiKey);
      await posternJson(['webhook', 'set', inbox.address, '--url', around.url], env);
      for (let round = 0; round < rounds; round++) {
        await loadAndKill(server, { env, apiKey, inbox, backup }, answered);
        server = await startServing(['serve'], env);
      }
      const arrived = () =>
        new Set(around.receiver.requests.map((one) => String(readEvent(one)?.data?.message?.subject)));
      const sent = () =>
        new Set(far.mails.map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1]?.trim() ?? ''));
      await waitUntil(
        () => countMissing(answered.mails, arrived()) + countMissing(answered.emails, sent()) === 0,
      );
      const found = await countSubjects(server, apiKey, inbox.id);
      const faults = [
        formatCount(countMissing(answered.mails, new Set(found.keys())), 'mails answered 250 are lost'),
        formatCount([...found.values()].filter((count) => count > 1).length, 'mails are duplicated'),
        formatCount(countMissing(answered.mails, arrived()), 'mails never reached the webhook'),
        formatCount(countMissing(answered.emails, sent()), 'emails answered 201 were never sent'),
      ].filter((fault) => fault !== null);
      server.kill('SIGTERM');
      if ((await server.exited) !== 0) faults.push('the last server did not stop properly');
      faults.push(...(await findBackupFaults(backup, join(dir, 'restored'), answered)));
      const { mails, emails, backups } = answered;
      return {
        figures: { rounds, mails: mails.size, emails: emails.size, backups, hooks: arrived().size },
        faults,
      };
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

function makeEnvironment(
  dir: string,
  around: Record<string, string>,
  farPort: number,
): Record<string, string> {
  const settings = {
    ...around,
    data_dir: join(dir, 'data'),
    disk_floor: '0',
    log_level: 'error',
    outbound: 'direct',
    outbound_port: String(farPort),
    outbound_allow_networks: '127.0.0.0/8',
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`POSTERN_${name.toUpperCase()}`, value]),
  );
}

/** An account that may send, from a domain that is verified without the DNS. */
async function seed(dataDir: string): Promise<string> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = randomBytes(32);
  writeFileSync(join(dataDir, 'server.key'), key, { mode: 0o600 });
  const log = createLog({ form: 'json', level: 'error', colour: false, write: () => {}, nowUs: () => 0 });
  const appliance = await startAppliance({
    ...settingsFrom({ toml: { data_dir: dataDir } }),
    log,
    dataDir,
    key,
    doors: false,
  });
  const created = await createAccount(appliance.services, { email: 'storm@example.org', plan: 'business' });
  await readyDomain(appliance.services, created.account.no, DOMAIN);
  await appliance.stop();
  return created.api_key;
}

interface Load {
  env: Record<string, string>;
  apiKey: string;
  inbox: Inbox;
  backup: string;
}

async function loadAndKill(server: Serving, load: Load, answered: Answered): Promise<void> {
  let over = false;
  const isOver = () => over;
  const loads = [
    ...Array.from({ length: SENDERS }, () => receiveUntilCut(server, load.inbox, answered)),
    sendUntilCut(server, load.apiKey, answered),
    backUpUntil(isOver, load, answered),
  ];
  // A kill before any mail would prove nothing.
  const before = answered.mails.size;
  await waitUntil(() => answered.mails.size > before);
  await Bun.sleep(LOAD_MS.least + Math.random() * LOAD_MS.more);
  server.kill('SIGKILL');
  over = true;
  await Promise.all([server.exited, ...loads]);
}

let number = 0;

async function receiveUntilCut(server: Serving, inbox: Inbox, { mails }: Answered): Promise<void> {
  try {
    using client = await SmtpClient.greet({ port: Number(server.ready.smtp.split(':').at(-1)) });
    for (;;) {
      const subject = `mail-${++number}`;
      const body = `Your code is 482913\r\n${'x'.repeat(number % 7 === 0 ? 400_000 : 200)}\r\n`;
      await client.deliver(SENDER, inbox.address, `Subject: ${subject}\r\n\r\n${body}`);
      mails.add(subject);
    }
  } catch (fault) {
    // A cut connection is the intended end; a refusal is not.
    if (/was answered/.test((fault as Error).message)) throw fault;
  }
}

/** Runs until the server has ended. Waits if a limit is reached. */
async function sendUntilCut(server: Serving, apiKey: string, { emails }: Answered): Promise<void> {
  for (;;) {
    const subject = `email-${++number}`;
    try {
      const answer = await fetch(`${server.ready.http}/api/v1/outbound_emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          from_address: `a@${DOMAIN}`,
          to: [`b${number}@far.test`],
          subject,
          body_text: 'x',
        }),
      });
      if (answer.status === 201) emails.add(subject);
      else if (answer.status === 429 || answer.status === 403) await Bun.sleep(20);
      else throw new Error(`an email was answered ${answer.status}: ${await answer.text()}`);
    } catch (fault) {
      if (/was answered/.test((fault as Error).message)) throw fault;
      return;
    }
  }
}

async function backUpUntil(isOver: () => boolean, { env, backup }: Load, answered: Answered): Promise<void> {
  while (!isOver()) {
    const { status, stderr } = await postern(['backup', backup], env);
    if (status === 0) answered.backups++;
    else throw new Error(`a backup failed: ${stderr}`);
  }
}

async function findBackupFaults(backup: string, dataDir: string, { mails }: Answered): Promise<string[]> {
  if (!existsSync(backup)) return ['no backup was made'];
  const { status, stdout, stderr } = await postern(['restore', backup, '--json'], {
    POSTERN_DATA_DIR: dataDir,
  });
  if (status !== 0) return [`the last backup can't be restored: ${stderr}`];
  const { messages } = JSON.parse(stdout) as { messages: number };
  // Mails and emails in progress at a kill may exist too.
  const most = mails.size + SENDERS * 1000;
  return messages <= most ? [] : [`the last backup contains ${messages} messages`];
}

function countMissing(wanted: Set<string>, found: Set<string>): number {
  return [...wanted].filter((one) => !found.has(one)).length;
}

function formatCount(count: number, what: string): string | null {
  return count > 0 ? `${count} ${what}` : null;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  while (!isSo() && performance.now() < until) await Bun.sleep(20);
}
