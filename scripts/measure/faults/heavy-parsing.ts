/** Measures well-formed mail and views while other connections send mails that are made to block a parser. */
import { SmtpClient } from '../../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from '../figures.ts';
import { mails } from '../mails.ts';
import { measureMemory } from '../processes.ts';
import { makeDataDir, type Postern, removeDataDir, runCommandWithInput, startPostern } from '../targets.ts';

const EMAIL = 'bench@postern.test';
const PASSWORD = 'a long one, of the bench alone';
/** The attackers' network; well-formed mail comes from 127.0.0.1. */
const ATTACKERS = { connections: 6, localAddress: '127.66.0.1' };
const PAUSE_MS = 100;

type Work = () => Promise<void>;
/** Milliseconds of each run, by kind of work. */
type Times = Map<string, number[]>;

export async function benchHeavyParsing(report: Report, smoke: boolean): Promise<void> {
  const dataDir = makeDataDir();
  const account = ['account', 'create', '--email', EMAIL, '--password-stdin'];
  const { api_key = '' } = runCommandWithInput(dataDir, `${PASSWORD}\n`, ...account);
  await using target = await startPostern(dataDir, { apiKey: api_key });
  const works = await listWorks(target);
  const seconds = smoke ? 2 : 20;
  // Warms up the compiler, and starts parsers.
  await runAll(works, smoke ? 1 : 3);
  const alone = await runAll(works, seconds);
  const attack = startAttack(target);
  // Waits until their first mails are being parsed.
  await Bun.sleep(smoke ? 500 : 3_000);
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, measureMemory(target.pid).pssMb);
  }, 500);
  const beside = await runAll(works, seconds);
  clearInterval(watch);
  attack.kill();
  await attack.exited;
  print(report, alone, beside, peakMb);
  await target[Symbol.asyncDispose]();
  removeDataDir(dataDir);
}

function startAttack(target: Postern): Bun.Subprocess {
  const options = { port: target.smtpPort, recipient: target.recipient, ...ATTACKERS };
  const program = `${import.meta.dir}/send-bombs.ts`;
  return Bun.spawn([process.execPath, program, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function listWorks(target: Postern): Promise<Record<string, Work>> {
  const small = mails.plain5k();
  const large = small + 'the words of a well-formed mail, some of them again\r\n'.repeat(6_000);
  const html = 'Subject: view\r\nContent-Type: text/html\r\n\r\n<p>Hello <b>there</b></p>\r\n'.padEnd(
    1024,
    '<p>x</p>',
  );
  await send(target, html);
  const { data } = (await target.get(`/inboxes/${target.inboxId}/messages/latest`)) as {
    data: { id: string };
  };
  const view = `${target.http}/dashboard/api/messages/${data.id}/frame`;
  const headers = {
    cookie: await signIn(target.http),
    'sec-fetch-site': 'same-origin',
    'sec-fetch-dest': 'iframe',
  };
  return {
    '300 KB mail': () => send(target, large),
    'small mail': () => send(target, small),
    'HTML view': async () => {
      const answer = await fetch(view, { headers });
      if (!(await answer.text()).includes('<b>there</b>'))
        throw new Error(`a view was answered ${answer.status}`);
    },
  };
}

async function signIn(http: string): Promise<string> {
  const answer = await fetch(`${http}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: http, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const [cookie] = (answer.headers.get('set-cookie') ?? '').split(';');
  if (!cookie) throw new Error(`the sign-in was answered ${answer.status} ${await answer.text()}`);
  return cookie;
}

/** Measures a mail from MAIL FROM to 250, over its own connection. */
async function send(target: Postern, raw: string): Promise<void> {
  using client = await SmtpClient.greet({ port: target.smtpPort, timeoutMs: 120_000 });
  await client.deliver('bench@shop.example', target.recipient, raw);
}

/** Repeats each kind of work, in parallel with the others. */
async function runAll(works: Record<string, Work>, seconds: number): Promise<Times> {
  const until = performance.now() + seconds * 1000;
  const times: Times = new Map();
  const repeat = async ([name, work]: [string, Work]) => {
    const took: number[] = [];
    times.set(name, took);
    while (performance.now() < until) {
      const began = performance.now();
      await work();
      took.push(performance.now() - began);
      await Bun.sleep(PAUSE_MS);
    }
  };
  await Promise.all(Object.entries(works).map(repeat));
  return times;
}

function print(report: Report, alone: Times, beside: Times, peakMb: number): void {
  report.line('', 'alone p50', 'max ms', 'attacked p50', 'max ms', 'times');
  const figures = (took: readonly number[]) => [shown(quantile(took, 0.5)), shown(quantile(took, 1))];
  for (const [name, took] of beside) {
    report.line(name, ...figures(alone.get(name) ?? []), ...figures(took), String(took.length));
  }
  const most = (name: string) => quantile(beside.get(name) ?? [], 1);
  report.goal('300 KB mail beside the six, max', most('300 KB mail'), 'ms', { under: 2000 });
  report.goal('HTML view beside the six, max', most('HTML view'), 'ms', { under: 500 });
  report.line('peak PSS beside the six', `${shown(peakMb)} MB`);
}
