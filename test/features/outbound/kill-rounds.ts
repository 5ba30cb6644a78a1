/**
 * A real server, killed with SIGKILL at a random moment while it sends, and restarted on the same folder. At the end
 * every email whose POST was answered 201 has arrived, and none arrived again after the API had shown it as sent.
 */
import { type Serving, startServing } from '../../doors/operator/command-process.ts';
import type { MailServer } from '../../peers/mail-server.ts';
import { until } from '../../until.ts';
import { startFarEnd } from './far-end.ts';
import { readySender } from './ready-sender.ts';

export interface OutboundKillFigures {
  kills: number;
  /** POSTs that were answered 201. */
  accepted: number;
  /** Accepted emails that never arrived. */
  lost: number;
  /** Emails that arrived again after the API had shown them as sent. */
  sentAgain: number;
  /** Emails that arrived more than once: allowed, and the price of losing none. */
  repeated: number;
  /** Accepted emails that are not `sent` in the end. */
  unsettled: number;
}

const CLIENTS = 4;
const KILL_WITHIN_MS = 100;
const FROM_DOMAIN = 'shop.example';
const NO_SENDING_LIMITS = {
  POSTERN_PLAN_BUSINESS_OUTBOUND_RECIPIENTS_PER_HOUR: '1000000',
  POSTERN_PLAN_BUSINESS_OUTBOUND_RECIPIENTS_PER_DAY: '1000000',
  POSTERN_PLAN_BUSINESS_OUTBOUND_QUEUED: '1000000',
};

/** The number of kills, and the minimum number of emails accepted and sent in the meantime. */
export async function outboundKillRounds(
  kills: number,
  emails: number,
  onKill: (kill: number, accepted: number, arrived: number) => void = () => {},
): Promise<OutboundKillFigures> {
  // Some are in the middle of DATA during the kill.
  const onMessage = () => Bun.sleep(Math.random() * 10).then(() => null);
  await using end = await startFarEnd(NO_SENDING_LIMITS, { onMessage });
  const { dns, far, env, run } = end;
  let serving = await startServing(['serve'], env);
  const accepted = new Map<string, string>();
  const seenSent = new Map<string, number>();
  let number = 0;
  try {
    const apiKey = await readySender(serving.ready.http, run, dns, FROM_DOMAIN);
    const next = () => (number < emails ? number++ : null);
    const load = () =>
      Promise.all(
        Array.from({ length: CLIENTS }, () => postUntilCut(serving, apiKey, next, accepted, far, seenSent)),
      );
    for (let kill = 1; kill <= kills; kill++) {
      const from = ((kill - 1 + Math.random()) * emails) / kills;
      const loads = load();
      await until(() => number >= from, 60_000);
      await Bun.sleep(Math.random() * KILL_WITHIN_MS);
      serving.kill('SIGKILL');
      await Promise.all([serving.exited, loads]);
      serving = await startServing(['serve'], env);
      onKill(kill, accepted.size, arrivals(far).size);
    }
    await load();
    const missing = () => [...accepted.values()].filter((subject) => !arrivals(far).has(subject)).length;
    await until(() => missing() === 0, 90_000).catch(() => {});
    const unsettled = await settle(serving, apiKey, [...accepted.keys()]);
    const counts = [...arrivals(far)];
    return {
      kills,
      accepted: accepted.size,
      lost: missing(),
      sentAgain: [...seenSent].filter(([subject, then]) => (arrivals(far).get(subject) ?? 0) > then).length,
      repeated: counts.filter(([, times]) => times > 1).length,
      unsettled,
    };
  } finally {
    serving.kill('SIGKILL');
    await serving.exited;
  }
}

/** Posts emails, and sometimes checks the status of one: after `sent` it may not arrive again. */
async function postUntilCut(
  serving: Serving,
  apiKey: string,
  next: () => number | null,
  accepted: Map<string, string>,
  far: MailServer,
  seenSent: Map<string, number>,
): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const base = `${serving.ready.http}/api/v1/outbound_emails`;
  for (let number = next(); number !== null; number = next()) {
    const subject = `message ${number}`;
    const request = { from_address: `me@${FROM_DOMAIN}`, to: ['ann@far.test'], subject, body_text: 'hello' };
    let answer: Response;
    try {
      answer = await fetch(base, { method: 'POST', headers, body: JSON.stringify(request) });
      const { data } = (await answer.json()) as { data: { id: string } };
      if (answer.status !== 201) throw new TypeError(`a POST was answered ${answer.status}`);
      accepted.set(data.id, subject);
      const [id, of] = [...accepted][Math.floor(Math.random() * accepted.size)]!;
      const shown = await fetch(`${base}/${id}`, { headers });
      const { data: email } = (await shown.json()) as { data: { status: string } };
      if (email.status === 'sent' && !seenSent.has(of)) seenSent.set(of, arrivals(far).get(of) ?? 0);
    } catch (fault) {
      // A broken connection is expected here; an error reply is not.
      if (fault instanceof TypeError && fault.message.startsWith('a POST')) throw fault;
      return;
    }
  }
}

/** How many are still not sent after a while. */
async function settle(serving: Serving, apiKey: string, ids: string[]): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  let open = ids;
  for (const giveUp = performance.now() + 30_000; performance.now() < giveUp && open.length > 0; ) {
    const left: string[] = [];
    for (const id of open) {
      const answer = await fetch(`${serving.ready.http}/api/v1/outbound_emails/${id}`, { headers });
      const { data } = (await answer.json()) as { data: { status: string } };
      if (data.status !== 'sent') left.push(id);
    }
    open = left;
    if (open.length > 0) await Bun.sleep(50);
  }
  return open.length;
}

/** How often each subject arrived. */
function arrivals(far: MailServer): Map<string, number> {
  const found = new Map<string, number>();
  for (const { data } of far.mails) {
    const subject = /^Subject: (.*)\r$/m.exec(data)?.[1] ?? '';
    found.set(subject, (found.get(subject) ?? 0) + 1);
  }
  return found;
}
