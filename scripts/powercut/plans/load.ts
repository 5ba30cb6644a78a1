/** Postern under load: mail, emails, webhooks, deletions, an orderly stop and a SIGKILL. */
import { join } from 'node:path';
import { posternJson } from '../../../test/doors/operator/command-process.ts';
import { readySender } from '../../../test/features/outbound/ready-sender.ts';
import { setExchanger } from '../../../test/features/outbound/sending-server.ts';
import { startDnsServer } from '../../../test/peers/dns-server.ts';
import { startMailServer } from '../../../test/peers/mail-server.ts';
import { checkFolder } from '../check.ts';
import type { CrashFs } from '../crashfs.ts';
import { FROM_DOMAIN, Load } from '../load.ts';
import { findDelicateCuts, type Plan, type Recording, range, recordIn, type Stage } from '../plan.ts';
import { promisesAt } from '../promises.ts';
import { end, makeSettings, readDoors, serve } from '../server.ts';

const INBOXES = 6;
const HOOKED = 2;
/** Offsets from the record of a checkpoint. */
const NEAR_CHECKPOINT = [-30, -2, -1, 0, 1, 2, 25];

/** A server that sends and has webhooks, and its load. */
export interface Loaded {
  settings: Record<string, string>;
  load: Load;
  doors(): { http: string; smtpPort: number };
  start(): Promise<void>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Runs `act` with a server in the mount. Its peers answer: whatever is sent arrives. */
export async function withLoadedServer(
  fs: CrashFs,
  act: (loaded: Loaded) => Promise<void>,
): Promise<string[]> {
  await using dns = await startDnsServer();
  await using far = await startMailServer();
  setExchanger(dns, 'far.test', '10 mx.far.test');
  dns.setAddresses('mx.far.test', far.host);
  const hooks = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(null, { status: 204 }),
  });
  const settings = makeSettings(join(fs.mount, 'data'), {
    dns: `${dns.host}:${dns.port}`,
    farPort: far.port,
  });
  let server = await serve(settings);
  try {
    await fs.mark({ is: 'ready' });
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, settings);
    const key = await readySender(server.ready.http, run, dns, FROM_DOMAIN);
    await fs.mark({ is: 'account', email: 'sender@example.org', key });
    const second = await run('key', 'create', 'sender@example.org');
    await fs.mark({ is: 'key', key: second.api_key! });
    const load = new Load(fs, key);
    for (let index = 0; index < INBOXES; index++) {
      const { id, address } = await load.makeInbox(server.ready.http);
      if (index >= HOOKED) continue;
      await run('webhook', 'set', address, '--url', `http://127.0.0.1:${hooks.port}/`);
      await fs.mark({ is: 'webhook', inbox: id });
    }
    await act({
      settings,
      load,
      doors: () => readDoors(server),
      async start() {
        server = await serve(settings);
        await fs.mark({ is: 'ready' });
      },
      async stop(signal) {
        await fs.mark({ is: 'step', step: signal === 'SIGKILL' ? 'kill' : 'stop' });
        await end(server, signal);
      },
    });
    return load.refused;
  } finally {
    await end(server, 'SIGKILL');
    await hooks.stop(true);
  }
}

async function record(stage: Stage): Promise<Recording> {
  const { mails } = stage;
  return recordIn(stage, 'load', stage.work.folder('load-files'), (fs) =>
    withLoadedServer(fs, async ({ load, doors, start, stop }) => {
      await load.run(doors(), Math.ceil(mails / 3), 'all');
      await stop('SIGTERM');
      await start();
      const second = load.run(doors(), mails, 'all');
      await load.awaitBegun(Math.ceil(mails / 2));
      await stop('SIGKILL');
      await second;
      await start();
      await load.run(doors(), mails, 'all');
      await stop('SIGTERM');
      await fs.mark({ is: 'step', step: 'end' });
    }),
  );
}

const shared = {
  recording: 'load',
  record,
  check: (folder, { marks }) =>
    checkFolder({ folder, promises: promisesAt(marks, folder.n), secondStartLikely: 0.5 }),
} satisfies Partial<Plan>;

export const load: Plan = {
  ...shared,
  name: 'load',
  meaning: 'mail, emails, webhooks, inboxes and deletions, with a stop and a SIGKILL between',
  weight: 40,
  cuts(recording) {
    const { first, last } = findBounds(recording);
    const after = recording.marks.filter(({ n, mark }) => n > first && mark.is === 'mail').map(({ n }) => n);
    const rare = recording.records
      .filter(({ n, op }) => n > first && /^(rename|unlink|link|truncate|fsyncdir|create|mkdir)$/.test(op))
      .flatMap(({ n }) => [n - 1, n, n + 1])
      .filter((n) => n <= last);
    return [after, findDelicateCuts(recording, first, last), rare, range(first, last)];
  },
};

export const checkpoint: Plan = {
  ...shared,
  name: 'checkpoint',
  meaning: 'the same load, cut where the write-ahead log is checkpointed or restarted',
  weight: 15,
  cuts(recording) {
    const { first, last } = findBounds(recording);
    const names = new Map<number, string>();
    const found: number[] = [];
    for (const { n, op, id = 0, off = 0, name } of recording.records) {
      if (op === 'create') names.set(id, name!);
      const isStore = names.get(id) === 'postern.db' && /^(write|fsync|truncate)$/.test(op);
      const isNewLog = names.get(id) === 'postern.db-wal' && op === 'write' && off === 0;
      if (isStore || isNewLog) found.push(...NEAR_CHECKPOINT.map((away) => n + away));
    }
    return [found.filter((n) => n > first && n <= last)];
  },
};

/** From the first inbox to the end. */
function findBounds({ records, marks }: Recording): { first: number; last: number } {
  return { first: marks.find(({ mark }) => mark.is === 'inbox')!.n, last: records.at(-1)!.n };
}
