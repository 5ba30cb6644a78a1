/**
 * A support desk on a real server that is killed with SIGKILL at random moments and started again on the same folder.
 * Customers write by SMTP; a program learns of each mail by webhook and replies through the API with an attachment; the
 * answers come back by SMTP into the same thread, and bounces are reported by an event. At the end nothing is missing,
 * and nothing happened twice that the contract does not allow to.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson, startServing } from '../../doors/operator/command-process.ts';
import { until } from '../../until.ts';
import { readySender } from '../outbound/ready-sender.ts';
import { setExchanger } from '../outbound/sending-server.ts';
import { makeSurroundings, type Surroundings } from '../webhooks/hooked.ts';
import { CUSTOMER_DOMAIN, type Customers, startCustomers } from './customers.ts';
import { type DeskFigures, findFaults } from './findings.ts';
import { SupportProgram } from './program.ts';

const DOMAIN = 'shop.example';
const SUPPORT = `support@${DOMAIN}`;
/** Mails of a customer who gets replies. */
const MAILS_EACH = 3;
const KILL_WITHIN_MS = 150;
const SETTLE_MS = 120_000;

export async function supportRounds(
  kills: number,
  customerCount: number,
  onKill: (kill: number, replies: number) => void = () => {},
): Promise<DeskFigures> {
  await using around = await makeSurroundings();
  const dir = mkdtempSync(join(tmpdir(), 'postern-support-'));
  let port = 0;
  await using customers = await startCustomers({
    count: customerCount,
    rounds: MAILS_EACH,
    supportAddress: SUPPORT,
    findSmtpPort: () => port,
  });
  const env = makeEnvironment(dir, around, customers);
  let serving = await startServing(['serve'], env);
  const start = () => {
    port = Number(serving.ready.smtp.split(':').at(-1));
  };
  try {
    start();
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, env);
    const apiKey = await readySender(serving.ready.http, run, around.dns, DOMAIN);
    const program = new SupportProgram(apiKey, () => serving.ready.http);
    await program.listen(around, SUPPORT, DOMAIN);
    customers.begin();
    const expected = countExpectedReplies(customers);
    for (let kill = 1; kill <= kills; kill++) {
      const from = ((kill - 1 + Math.random()) * expected) / kills;
      await until(() => program.repliesSent >= from, SETTLE_MS);
      await Bun.sleep(Math.random() * KILL_WITHIN_MS);
      serving.kill('SIGKILL');
      await serving.exited;
      serving = await startServing(['serve'], env);
      start();
      onKill(kill, program.repliesSent);
    }
    await until(() => isSettled(customers, program), SETTLE_MS).catch(() => {});
    return { kills, ...(await findFaults(customers, program)) };
  } finally {
    serving.kill('SIGKILL');
    await serving.exited;
    rmSync(dir, { recursive: true, force: true });
  }
}

function makeEnvironment(dir: string, around: Surroundings, { server }: Customers): Record<string, string> {
  setExchanger(around.dns, CUSTOMER_DOMAIN, `10 mx.${CUSTOMER_DOMAIN}`);
  around.dns.setAddresses(`mx.${CUSTOMER_DOMAIN}`, server.host);
  const settings = {
    ...around.settings,
    data_dir: dir,
    disk_floor: '0',
    log_level: 'error',
    outbound: 'direct',
    outbound_port: String(server.port),
    outbound_allow_networks: '127.0.0.0/8',
    plan_business_outbound_recipients_per_hour: '100000',
    plan_business_outbound_recipients_per_day: '100000',
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`POSTERN_${name.toUpperCase()}`, value]),
  );
}

function countExpectedReplies({ all }: Customers): number {
  return all.reduce((sum, { fate }) => sum + (fate === 'answers' ? MAILS_EACH : 1), 0);
}

/** Whether every customer has sent everything, and every reply and bounce has come to its end. */
function isSettled(customers: Customers, program: SupportProgram): boolean {
  if (!customers.isQuiet() || !program.isQuiet()) return false;
  return customers.all.every(({ fate, address, answered, replies }) => {
    const heard = program.hasHeardAllOf(answered);
    if (fate !== 'answers') return answered.size > 0 && heard && program.bounces.has(address);
    return answered.size === MAILS_EACH && heard && replies.size >= MAILS_EACH;
  });
}
