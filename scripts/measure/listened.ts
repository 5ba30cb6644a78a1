/** Measures what mail costs with listeners: an account's webhook that gets every message, and rules that are evaluated. */
import { cpuPerMail, readCpu, sumCpu } from './cpu.ts';
import { median, type Report, ratio, shown } from './figures.ts';
import { flood } from './processes.ts';
import { makeDataDir, type Postern, removeDataDir, runCommand, startPostern } from './targets.ts';

const RULES = 10;
/** Rules that never match, so that each mail is compared with all of them. */
const RULES_MATCHING = 2;
const TURNS = 8;
const TURN_S = 3;
/** The goal for the time until a mail's 250, even while earlier mails are being delivered. */
const TIMES_MAX = 1.15;

interface Setting {
  title: string;
  rules: boolean;
  /** Whether the receiver answers at once; or never, so that only the cost to the mail itself is measured. */
  webhook?: 'answers' | 'hangs';
}

const settings: Setting[] = [
  { title: 'nobody listens', rules: false },
  { title: `${RULES} rules`, rules: true },
  { title: `${RULES} rules, a webhook, stored`, rules: true, webhook: 'hangs' },
  { title: `${RULES} rules, a webhook, delivered`, rules: true, webhook: 'answers' },
];

/** An account whose mail is measured. */
interface Listener extends Setting {
  recipient: string;
  apiKey: string;
  /** The path of its webhook, if it has one. */
  path: string | null;
  receiver: ReturnType<typeof startReceiver>;
}

interface Measured {
  perS: number;
  parts: [string, number][];
  us: number;
  /** The webhook's deliveries per mail in the same time. */
  deliveries: number;
}

/**
 * One server has an account for each setting, and these take short turns, because the host's speed changes more from one
 * minute to the next than the differences that are measured.
 */
export async function benchListened(report: Report, smoke: boolean): Promise<void> {
  report.section('Ingest: 5 KB plain, 50 sessions kept open, by listener');
  const dataDir = makeDataDir();
  const environment = { POSTERN_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', POSTERN_AUTHENTICATION: 'off' };
  await using target = await startPostern(dataDir, undefined, environment);
  const listeners: Listener[] = [];
  for (const setting of settings) listeners.push(await setUp(target, setting));
  const all = settings.map((): Measured[] => []);
  for (let turn = 0; turn <= (smoke ? 1 : TURNS); turn++) {
    for (const [at, listener] of listeners.entries()) {
      const measured = await measure(target, listener, smoke ? 1 : TURN_S);
      // The first turn warms up.
      if (turn > 0) all[at]!.push(measured);
    }
  }
  for (const { receiver } of listeners) receiver.stop();
  removeDataDir(dataDir);
  print(report, all);
}

function print(report: Report, all: Measured[][]): void {
  report.line('', 'messages/s', 'µs a mail', 'times', 'from', 'to');
  const [alone] = all;
  const ratios = (runs: Measured[]) => runs.map(({ us }, turn) => us / alone![turn]!.us);
  const times = (runs: Measured[]) => median(ratios(runs));
  for (const [at, { title }] of settings.entries()) {
    const runs = all[at]!;
    const middle = runs.toSorted((one, other) => one.us - other.us)[Math.floor(runs.length / 2)]!;
    const range = [Math.min(...ratios(runs)), Math.max(...ratios(runs))].map(ratio);
    const perS = shown(median(runs.map((run) => run.perS)));
    report.line(title, perS, shown(middle.us), ratio(times(runs)), ...range);
    report.line('', middle.parts.map(([part, us]) => `${part} ${shown(us)}`).join(', '));
  }
  const [, , stored, delivered] = all as [unknown, unknown, Measured[], Measured[]];
  report.goal('a mail that both listen to, stored', times(stored), '×', { under: TIMES_MAX });
  report.goal('a mail that both listen to, delivered', times(delivered), '×', { under: TIMES_MAX });
  report.line(
    'deliveries for each mail meanwhile',
    '',
    shown(median(delivered.map((run) => run.deliveries))),
  );
}

async function measure(target: Postern, listener: Listener, seconds: number): Promise<Measured> {
  const { receiver, recipient, webhook } = listener;
  // Pending deliveries to the webhook of another turn are sent in its next turn.
  await turnWebhook(target, listener, true);
  const running = flood({
    port: target.smtpPort,
    recipient,
    mail: 'plain5k',
    connections: 50,
    reuse: true,
    pipelining: false,
    messages: 1_000_000,
    seconds,
    warmUpS: 1,
  });
  await Bun.sleep(1000);
  const [before, received] = [readCpu(target.pid), receiver.received()];
  const { perS, refused, lastRefusal } = await running;
  const mails = perS * seconds;
  const parts = cpuPerMail(before, readCpu(target.pid), mails);
  const deliveries = (receiver.received() - received) / mails;
  await turnWebhook(target, listener, false);
  if (refused > 0) throw new Error(`refused ${refused}: ${lastRefusal}`);
  if (webhook && receiver.received() === 0) throw new Error('the webhook got nothing');
  return { perS, parts, us: sumCpu(parts), deliveries };
}

function startReceiver(answers: boolean) {
  let received = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      await request.arrayBuffer();
      received++;
      return answers ? new Response('ok') : new Promise<Response>(() => {});
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received: () => received,
    stop: () => void server.stop(true),
  };
}

async function setUp({ http, dataDir }: Postern, setting: Setting): Promise<Listener> {
  const { rules, webhook } = setting;
  const email = `${settings.indexOf(setting)}@listened.test`;
  const apiKey = runCommand(dataDir, 'account', 'create', '--email', email).api_key!;
  const ask = (path: string, body: object) => send({ http, apiKey }, 'POST', path, body);
  const { address } = await ask('/inboxes', {});
  const receiver = startReceiver(webhook === 'answers');
  const hook = webhook && (await ask('/webhooks', { url: receiver.url, events: ['email.received'] }));
  for (let number = 0; rules && number < RULES; number++) {
    const matches = number >= RULES - RULES_MATCHING;
    await ask('/rules', {
      name: `rule ${number}`,
      ...(matches ? { from: 'shop.example' } : { subject: `never ${number}*` }),
      tags: [`tag-${number}`],
    });
  }
  return {
    ...setting,
    recipient: address!,
    apiKey,
    path: hook ? `/webhooks/${hook.id}` : null,
    receiver,
  };
}

async function turnWebhook({ http }: Postern, { apiKey, path }: Listener, isOn: boolean) {
  if (path !== null) await send({ http, apiKey }, 'PATCH', path, { enabled: isOn });
}

async function send(
  { http, apiKey }: Pick<Postern, 'http' | 'apiKey'>,
  method: string,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${http}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: Record<string, string> }).data;
}
