/**
 * Emails to a smarthost and deliveries to a webhook, whose receivers are still there after the cut. Whatever was answered
 * arrives; only what was in transit at the cut arrives again, once.
 */
import { join } from 'node:path';
import { posternJson } from '../../../test/doors/operator/command-process.ts';
import { readySender } from '../../../test/features/outbound/ready-sender.ts';
import { startDnsServer } from '../../../test/peers/dns-server.ts';
import { type MailServer, startMailServer } from '../../../test/peers/mail-server.ts';
import { Findings } from '../findings.ts';
import { FROM_DOMAIN, Load, type Notes } from '../load.ts';
import { readNumber } from '../mails.ts';
import {
  type CutFolder,
  findDelicateCuts,
  findSteps,
  type Plan,
  type Recording,
  range,
  recordIn,
  type Stage,
} from '../plan.ts';
import { nameCopy, type Promises, promisesAt } from '../promises.ts';
import { CHECKED_MS_MAX, end, makeSettings, readDoors, serve } from '../server.ts';
import { checkSound, type Store, selectNumber, withStore } from '../store-look.ts';

const INBOXES = 2;
const HOOK = 'hook.test';
/**
 * Connections to a smarthost (src/rules/sending.ts), each with an email in transit and one whose result is on its way to
 * the store; and concurrent attempts of two webhooks (src/rules/deliveries.ts).
 */
const IN_TRANSIT = { emails: 2 * 2, events: 2 * 4 };
const SETTLED_MS_MAX = 30_000;

interface SendingRecording extends Recording {
  /** The port in the webhooks' URLs. After a cut their name leads to another address of this machine. */
  hookPort: number;
}

/** What has arrived, by Message-ID and by the id of the event, and how often. */
class Arrivals {
  readonly emails = new Map<string, number>();
  readonly events = new Map<string, number>();
  /** The id of each message's event. */
  readonly eventOf = new Map<string, string>();

  addEmail(id: string): void {
    this.emails.set(id, (this.emails.get(id) ?? 0) + 1);
  }

  addEvent(id: string, message: string): boolean {
    this.events.set(id, (this.events.get(id) ?? 0) + 1);
    const known = this.eventOf.get(message) ?? id;
    this.eventOf.set(message, known);
    return known === id;
  }
}

interface Peers extends AsyncDisposable {
  hookPort: number;
  settings(dataDir: string): Record<string, string>;
  dns: Awaited<ReturnType<typeof startDnsServer>>;
}

/** A smarthost and a webhook receiver, which note what arrives before they answer. */
async function startPeers(notes: Notes, host: string, hookPort = 0): Promise<Peers> {
  const dns = await startDnsServer();
  const far: MailServer = await startMailServer({
    onMessage: async ({ data }) => {
      await notes.mark({ is: 'email arrived', id: /^Message-ID: (.*?)\r?$/im.exec(data)![1]! });
      return null;
    },
  });
  const hooks = Bun.serve({
    hostname: host,
    port: hookPort,
    async fetch(request) {
      const { id, data } = (await request.json()) as { id: string; data: { message: { id: string } } };
      await notes.mark({ is: 'event arrived', id, message: data.message.id });
      return new Response(null, { status: 204 });
    },
  });
  dns.setAddresses(HOOK, host);
  return {
    dns,
    hookPort: hooks.port!,
    settings: (dataDir) => ({
      ...makeSettings(dataDir, { dns: `${dns.host}:${dns.port}` }),
      POSTERN_OUTBOUND: `smtp://${far.host}:${far.port}`,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([hooks.stop(true), far[Symbol.asyncDispose](), dns[Symbol.asyncDispose]()]);
    },
  };
}

async function record(stage: Stage): Promise<SendingRecording> {
  let hookPort = 0;
  const recording = await recordIn(stage, 'sending', stage.work.folder('sending-files'), async (fs) => {
    await using peers = await startPeers(fs, '127.0.0.1');
    hookPort = peers.hookPort;
    const settings = peers.settings(join(fs.mount, 'data'));
    const server = await serve(settings);
    await fs.mark({ is: 'ready' });
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, settings);
    const key = await readySender(server.ready.http, run, peers.dns, FROM_DOMAIN);
    await fs.mark({ is: 'account', email: 'sender@example.org', key });
    const load = new Load(fs, key);
    for (let index = 0; index < INBOXES; index++) {
      const { id, address } = await load.makeInbox(server.ready.http);
      await run('webhook', 'set', address, '--url', `http://${HOOK}:${hookPort}/`);
      await fs.mark({ is: 'webhook', inbox: id });
    }
    await load.run(readDoors(server), stage.mails, 'emails');
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return load.refused;
  });
  return { ...recording, hookPort };
}

async function check({ root, n, turn }: CutFolder, recording: Recording) {
  const { marks, hookPort } = recording as SendingRecording;
  const findings = new Findings();
  const promises = promisesAt(marks, n);
  const checked = { findings: findings.all, mails: promises.mails.size, compared: 0 };
  const [before, after] = [new Arrivals(), new Arrivals()];
  for (const { n: at, mark } of marks) if (at <= n) note(before, mark, findings);
  const notes: Notes = { mark: async (mark) => note(after, mark, findings) };
  // Checks run at the same time, each at an address of its own.
  await using peers = await startPeers(notes, `127.0.1.${1 + (turn % 250)}`, hookPort);
  const dataDir = join(root, 'data');
  const server = await serve(peers.settings(dataDir), CHECKED_MS_MAX);
  try {
    const store = join(dataDir, 'postern.db');
    await settle(store, findings);
    withStore(store, (open) => {
      checkSound(open, findings);
      checkEmails(open, promises, before, after, findings);
      checkEvents(open, promises, before, after, findings);
    });
  } finally {
    await end(server, 'SIGKILL');
  }
  return checked;
}

function note(arrivals: Arrivals, mark: Parameters<Notes['mark']>[0], findings: Findings): void {
  if (mark.is === 'email arrived') arrivals.addEmail(mark.id);
  if (mark.is !== 'event arrived' || arrivals.addEvent(mark.id, mark.message)) return;
  findings.add('doubled', `the message ${mark.message} arrived under two event ids`);
}

async function settle(file: string, findings: Findings): Promise<void> {
  const open = `SELECT (SELECT count(*) FROM outbound_email WHERE waiting = 1)
    + (SELECT count(*) FROM delivery WHERE status = 'pending')`;
  const giveUp = performance.now() + SETTLED_MS_MAX;
  for (;;) {
    const left = withStore(file, (store) => selectNumber(store, open));
    if (left === 0) return;
    if (performance.now() > giveUp) return findings.add('other', `${left} emails and deliveries stay queued`);
    await Bun.sleep(20);
  }
}

function checkEmails(
  store: Store,
  promises: Promises,
  before: Arrivals,
  after: Arrivals,
  findings: Findings,
): void {
  const rows = store.query('SELECT id, message_id, status FROM outbound_email').all();
  const emails = new Map(
    (rows as { id: string; message_id: string; status: string }[]).map((row) => [row.id, row]),
  );
  for (const id of promises.emails) {
    const email = emails.get(id);
    if (!email) {
      findings.add('lost', `the email ${id}`);
      continue;
    }
    const [first, again] = [before, after].map((each) => each.emails.get(email.message_id) ?? 0);
    if (first! + again! === 0) findings.add('lost', `the email ${id} never arrived`);
    if (email.status !== 'sent') findings.add('other', `the email ${id} is ${email.status}`);
    if (again! > 0 && promises.emailsSent.has(id))
      findings.add('doubled', `the email ${id} was sent already`);
  }
  const known = new Set([...emails.values()].map(({ message_id }) => message_id));
  for (const id of before.emails.keys()) if (!known.has(id)) findings.add('lost', `the sent email ${id}`);
  checkRepeated('emails', before.emails, after.emails, findings);
}

function checkEvents(
  store: Store,
  promises: Promises,
  before: Arrivals,
  after: Arrivals,
  findings: Findings,
): void {
  const rows = store
    .query(
      'SELECT message.id, subject, inbox.id AS inbox FROM message JOIN inbox ON inbox.no = message.inbox_no',
    )
    .all() as { id: string; subject: string; inbox: string }[];
  const ids = new Map(rows.map(({ id, subject, inbox }) => [nameCopy(readNumber(subject)!, inbox), id]));
  for (const mail of promises.mails) {
    for (const copy of promises.sending.get(mail)!.map((inbox) => nameCopy(mail, inbox))) {
      const id = ids.get(copy);
      if (id === undefined) {
        findings.add('lost', `mail ${copy}`);
        continue;
      }
      const [first, again] = [before.eventOf.get(id), after.eventOf.get(id)];
      if (first === undefined && again === undefined) findings.add('lost', `the delivery of mail ${copy}`);
      if (first !== undefined && again !== undefined && first !== again)
        findings.add('doubled', `mail ${copy} arrived under two event ids`);
    }
  }
  checkRepeated('events', before.events, after.events, findings);
}

/** Nothing arrives twice on one side of the cut, and on both sides only what was in transit. */
function checkRepeated(
  what: keyof typeof IN_TRANSIT,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  findings: Findings,
): void {
  for (const [id, times] of [...before, ...after])
    if (times > 1) findings.add('doubled', `${id} arrived ${times} times on one side of the cut`);
  const again = [...after.keys()].filter((id) => before.has(id));
  if (again.length > IN_TRANSIT[what])
    findings.add('doubled', `${again.length} ${what} arrived again, more than were in transit`);
}

export const sending: Plan = {
  name: 'sending',
  meaning: 'emails to a smarthost and deliveries to a webhook, whose receivers count',
  recording: 'sending',
  weight: 15,
  record,
  cuts(recording) {
    const from = recording.marks.find(({ mark }) => mark.is === 'webhook')!.n;
    const [to] = findSteps(recording, 'end');
    const arrived = recording.marks.filter(({ mark }) => /arrived/.test(mark.is)).map(({ n }) => n);
    return [arrived, findDelicateCuts(recording, from, to!), range(from, to!)];
  },
  check,
};
