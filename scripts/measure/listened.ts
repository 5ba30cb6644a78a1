/** What mail costs when somebody listens: an account webhook that gets every message, and rules that are asked. */
import { cpuPerMail, readCpu } from './cpu.ts';
import { median, type Report, ratio, shown } from './figures.ts';
import { flood } from './processes.ts';
import { makeDataDir, type Postern, removeDataDir, startPostern } from './targets.ts';

const RULES = 10;
/** The others never match, so that each mail is compared with all of them. */
const RULES_MATCHING = 2;
const WARM_UP_S = 5;
const ROUNDS_MAX = Number(process.env.BENCH_ROUNDS ?? 3);
/** The goal for a mail until its 250, and for one with the deliveries that are made beside the next mails. */
const TIMES_MAX = 1.15;

interface Setting {
  title: string;
  rules: boolean;
  /** Answers at once; or never, so that all that is left is what the mail itself pays. */
  webhook?: 'answers' | 'hangs';
}

const settings: Setting[] = [
  { title: 'nobody listens', rules: false },
  { title: `${RULES} rules`, rules: true },
  { title: `${RULES} rules, a webhook, stored`, rules: true, webhook: 'hangs' },
  { title: `${RULES} rules, a webhook, delivered`, rules: true, webhook: 'answers' },
];

interface Measured {
  perS: number;
  parts: [string, number][];
  us: number;
  /** Of the webhook, for each mail of the same time. */
  deliveries: number;
}

export async function benchListened(report: Report, smoke: boolean): Promise<void> {
  report.section('Ingest: 5 KB plain, 50 sessions kept open, by who listens');
  const rounds = smoke ? 1 : Math.min(3, ROUNDS_MAX);
  const all = settings.map((): Measured[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, setting] of settings.entries()) all[at]!.push(await measure(setting, smoke ? 1 : 5));
  }
  report.line('', 'messages/s', 'µs a mail', 'times');
  const [alone] = all;
  const times = (runs: Measured[]) => median(runs.map(({ us }, round) => us / alone![round]!.us));
  for (const [at, { title }] of settings.entries()) {
    const runs = all[at]!;
    const middle = runs.toSorted((one, other) => one.us - other.us)[Math.floor(runs.length / 2)]!;
    report.line(title, shown(median(runs.map(({ perS }) => perS))), shown(middle.us), ratio(times(runs)));
    report.line('', middle.parts.map(([part, us]) => `${part} ${shown(us)}`).join(', '));
  }
  const [, , stored, delivered] = all as [unknown, unknown, Measured[], Measured[]];
  report.goal('a mail that both listen to, stored', times(stored), '×', { under: TIMES_MAX });
  report.goal('a mail that both listen to, delivered', times(delivered), '×', { under: TIMES_MAX });
  const each = delivered.map(({ us, deliveries }, round) => (us - stored[round]!.us) / deliveries);
  report.line('each delivery', '', shown(median(each)));
}

async function measure(setting: Setting, seconds: number): Promise<Measured> {
  const dataDir = makeDataDir();
  const settings = { POSTERN_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', POSTERN_AUTHENTICATION: 'off' };
  using receiver = startReceiver(setting.webhook === 'answers');
  await using target = await startPostern(dataDir, undefined, settings);
  await setUp(target, setting, receiver.url);
  const warmUpS = Math.min(WARM_UP_S, seconds);
  const running = flood({
    port: target.smtpPort,
    recipient: target.recipient,
    mail: 'plain5k',
    connections: 50,
    reuse: true,
    pipelining: false,
    messages: 1_000_000,
    seconds,
    warmUpS,
  });
  await Bun.sleep(warmUpS * 1000);
  const [before, taken] = [readCpu(target.pid), receiver.taken()];
  const { perS, refused, lastRefusal } = await running;
  const mails = perS * seconds;
  const parts = cpuPerMail(before, readCpu(target.pid), mails);
  const deliveries = (receiver.taken() - taken) / mails;
  if (refused > 0) throw new Error(`refused ${refused}: ${lastRefusal}`);
  if (setting.webhook === 'answers' && receiver.taken() === 0) throw new Error('the webhook got nothing');
  removeDataDir(dataDir);
  return { perS, parts, us: parts.reduce((sum, [, us]) => sum + us, 0), deliveries };
}

function startReceiver(answers: boolean) {
  let taken = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      await request.arrayBuffer();
      taken++;
      return answers ? new Response('ok') : new Promise<Response>(() => {});
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    taken: () => taken,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

async function setUp(target: Postern, { rules, webhook }: Setting, url: string) {
  if (webhook) await post(target, '/webhooks', { url, events: ['email.received'] });
  for (let number = 0; rules && number < RULES; number++) {
    const matches = number >= RULES - RULES_MATCHING;
    await post(target, '/rules', {
      name: `rule ${number}`,
      ...(matches ? { from: 'shop.example' } : { subject: `never ${number}*` }),
      tags: [`tag-${number}`],
    });
  }
}

async function post({ http, api_key }: Pick<Postern, 'http' | 'api_key'>, path: string, body: object) {
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${http}/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
}
