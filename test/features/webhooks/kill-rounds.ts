/**
 * A real server with a webhook, killed with SIGKILL at a random moment while it delivers, and restarted on the same
 * folder. At the end every message answered 250 has reached the receiver at least once, always with the same event
 * id.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson, type Serving, startServing } from '../../doors/operator/command-process.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { until } from '../../until.ts';
import { makeSurroundings, readEvent } from './hooked.ts';

export interface WebhookKillFigures {
  kills: number;
  acknowledged: number;
  /** Acknowledged messages that never arrived. */
  lost: number;
  /** Messages that arrived under more than one event id. */
  twoIds: number;
  /** Event ids used for more than one message. */
  twoMessages: number;
  /** Deliveries that arrived more than once: allowed, and the price of losing none. */
  repeated: number;
}

const CONNECTIONS = 4;
const INBOXES = 5;
const KILL_WITHIN_MS = 100;

/** The number of kills, and the minimum number of messages sent and delivered in the meantime. */
export async function webhookKillRounds(
  kills: number,
  messages: number,
  onKill: (kill: number, acknowledged: number, arrived: number) => void = () => {},
): Promise<WebhookKillFigures> {
  await using around = await makeSurroundings();
  const dir = mkdtempSync(join(tmpdir(), 'postern-hook-kill-'));
  const set = Object.entries(around.settings).map(([name, value]) => [
    `POSTERN_${name.toUpperCase()}`,
    value,
  ]);
  const env = { ...Object.fromEntries(set), POSTERN_DATA_DIR: dir, POSTERN_DISK_FLOOR: '0' };
  // The receiver delays some during the kill.
  around.receiver.answer(() => ({ delay_ms: Math.random() * 30 }));
  const acknowledged = new Set<string>();
  let number = 0;
  let server = await startWithHooks(env, around.url);
  try {
    const next = () => (number < messages ? number++ : null);
    const load = () =>
      Promise.all(
        Array.from({ length: CONNECTIONS }, () =>
          sendUntilCut(server.serving, server.addresses, next, acknowledged),
        ),
      );
    for (let kill = 1; kill <= kills; kill++) {
      // Spread over all messages: at a random point of this kill's share of them.
      const from = ((kill - 1 + Math.random()) * messages) / kills;
      const loads = load();
      await until(() => number >= from, 30_000);
      await Bun.sleep(Math.random() * KILL_WITHIN_MS);
      server.serving.kill('SIGKILL');
      await Promise.all([server.serving.exited, loads]);
      server = { ...server, serving: await startServing(['serve'], env) };
      onKill(kill, acknowledged.size, subjects(around.receiver.requests).size);
    }
    await load();
    const missing = () => {
      const arrived = subjects(around.receiver.requests);
      return [...acknowledged].filter((subject) => !arrived.has(subject)).length;
    };
    // A delivery that was cut off is due again at once. One that a dying server saw fail is due some seconds later.
    await until(() => missing() === 0, 60_000).catch(() => {});
    return { kills, acknowledged: acknowledged.size, lost: missing(), ...doubles(around.receiver.requests) };
  } finally {
    server.serving.kill('SIGKILL');
    await server.serving.exited;
    rmSync(dir, { recursive: true, force: true });
  }
}

async function startWithHooks(env: Record<string, string>, url: string) {
  const email = 'kill@example.org';
  const { api_key } = await posternJson<{ api_key: string }>(['account', 'create', '--email', email], env);
  const serving = await startServing(['serve'], env);
  const addresses: string[] = [];
  for (let count = 0; count < INBOXES; count++) {
    const headers = { authorization: `Bearer ${api_key}` };
    const answer = await fetch(`${serving.ready.http}/api/v1/inboxes`, { method: 'POST', headers });
    const { data } = (await answer.json()) as { data: { address: string } };
    addresses.push(data.address);
    await posternJson(['webhook', 'set', data.address, '--url', url], env);
  }
  return { serving, addresses };
}

async function sendUntilCut(
  serving: Serving,
  addresses: readonly string[],
  next: () => number | null,
  acknowledged: Set<string>,
): Promise<void> {
  try {
    using client = await SmtpClient.greet({ port: Number(serving.ready.smtp.split(':').at(-1)) });
    for (let number = next(); number !== null; number = next()) {
      const subject = `message ${number}`;
      await client.deliver(
        'load@example.org',
        addresses[number % addresses.length]!,
        Buffer.from(`Subject: ${subject}\r\nFrom: load@example.org\r\n\r\nhello\r\n`),
      );
      acknowledged.add(subject);
    }
  } catch (fault) {
    // A broken connection is expected here; an error reply is not.
    if (/^expected \d+, was answered/.test((fault as Error).message)) throw fault;
  }
}

type Requests = Parameters<typeof readEvent>[0][];

/** The event ids of each subject. */
function subjects(requests: readonly Requests[number][]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const request of requests) {
    const { id, data } = readEvent(request);
    found.set(data.message.subject, (found.get(data.message.subject) ?? new Set()).add(id));
  }
  return found;
}

function doubles(requests: readonly Requests[number][]) {
  const messagesOf = new Map<string, Set<string>>();
  for (const request of requests) {
    const { id, data } = readEvent(request);
    messagesOf.set(id, (messagesOf.get(id) ?? new Set()).add(data.message.id));
  }
  return {
    twoIds: [...subjects(requests).values()].filter((ids) => ids.size > 1).length,
    twoMessages: [...messagesOf.values()].filter((ids) => ids.size > 1).length,
    repeated: requests.length - messagesOf.size,
  };
}
