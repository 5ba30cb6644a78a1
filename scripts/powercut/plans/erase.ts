/**
 * An import, and the deletion of its inbox, of a domain and of a whole account, which are erased in steps beside new mail,
 * with a SIGKILL between. What was answered as deleted is never seen again, and nothing else goes with it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { posternJson } from '../../../test/doors/operator/command-process.ts';
import { checkFolder } from '../check.ts';
import type { Findings } from '../findings.ts';
import { openLoad } from '../load.ts';
import { makeMail } from '../mails.ts';
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
import { promisesAt } from '../promises.ts';
import { Api, end, makeSettings, readDoors, serve, waitUntil } from '../server.ts';
import { type Store, selectNumber, withStore } from '../store-look.ts';

const EMAIL = 'kept@example.org';
const GONE_EMAIL = 'gone@example.org';
const GONE_DOMAIN = 'gone.example';
const INBOXES = 6;
/** Numbers of the imported mails begin here, after those of the load. */
const IMPORTED_FROM = 100_000;
/** Several steps of erasing (features/messages/jobs.ts), some of them before the SIGKILL. */
const IMPORTED = 600;
const ERASED_MS_MAX = 60_000;

async function record(stage: Stage): Promise<Recording> {
  const { work, mails } = stage;
  const files = writeMails(work.folder('erase-mails'));
  return recordIn(stage, 'erase', work.folder('erase-files'), async (fs) => {
    const settings = makeSettings(join(fs.mount, 'data'));
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, settings);
    let server = await serve(settings);
    await fs.mark({ is: 'ready' });
    const load = await openLoad(settings, EMAIL, fs);
    const { key } = load;
    for (let index = 0; index < INBOXES; index++) await load.makeInbox(server.ready.http);
    const { id, address } = await load.makeInbox(server.ready.http);
    const numbers = range(IMPORTED_FROM, IMPORTED_FROM + IMPORTED - 1);
    for (const mail of numbers) await fs.mark({ is: 'sending', mail, to: [id] });
    await run('mail', 'import', files, '--inbox', address);
    for (const mail of numbers) await fs.mark({ is: 'mail', mail });
    const goneKey = (await run('account', 'create', '--email', GONE_EMAIL)).api_key!;
    const gone = await new Api(server.ready.http, goneKey).call('POST', '/inboxes', {});
    await run('mail', 'import', files, '--inbox', gone.json.data.address);
    await new Api(server.ready.http, key).call('POST', '/domains', { name: GONE_DOMAIN });
    await fs.mark({ is: 'step', step: 'deletions begin' });
    const doors = () => readDoors(server);
    const first = load.run(doors(), mails);
    for (const mail of numbers) await fs.mark({ is: 'deleting', mail, inbox: id });
    await fs.mark({ is: 'inbox going', id });
    await new Api(server.ready.http, key).call('DELETE', `/inboxes/${id}`);
    await fs.mark({ is: 'inbox gone', id });
    await run('domain', 'delete', GONE_DOMAIN);
    await fs.mark({ is: 'step', step: 'domain gone' });
    await run('account', 'delete', GONE_EMAIL);
    await fs.mark({ is: 'step', step: 'account gone' });
    const file = join(fs.mount, 'data/postern.db');
    await waitUntil(
      () => withStore(file, countMessages) < load.begun + 2 * IMPORTED - 100,
      ERASED_MS_MAX,
      'the server does not erase',
    );
    await fs.mark({ is: 'step', step: 'kill' });
    await end(server, 'SIGKILL');
    await first;
    server = await serve(settings);
    await fs.mark({ is: 'ready' });
    await load.run(doors(), mails);
    await waitUntil(() => withStore(file, countDeleted) === 0, ERASED_MS_MAX, 'the server does not erase');
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return load.refused;
  });
}

function writeMails(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (let mail = IMPORTED_FROM; mail < IMPORTED_FROM + IMPORTED; mail++)
    writeFileSync(join(folder, `${mail}.eml`), makeMail(mail));
  return folder;
}

const countMessages = (store: Store) => selectNumber(store, 'SELECT count(*) FROM message');
/** Accounts and inboxes that are deleted, and not erased yet. */
const countDeleted = (store: Store) =>
  selectNumber(store, 'SELECT count(*) FROM inbox WHERE deleted_at IS NOT NULL') +
  selectNumber(store, 'SELECT count(*) FROM account WHERE deleted_at IS NOT NULL');

async function check(folder: CutFolder, recording: Recording) {
  const { steps } = promisesAt(recording.marks, folder.n);
  const rows = {
    'account gone': `account WHERE email = '${GONE_EMAIL}' AND deleted_at IS NULL`,
    'domain gone': `domain WHERE name = '${GONE_DOMAIN}'`,
  } as const;
  const inspect = (dataDir: string, findings: Findings) =>
    withStore(join(dataDir, 'postern.db'), (store) => {
      for (const [step, row] of Object.entries(rows))
        if (
          steps.includes(step as keyof typeof rows) &&
          selectNumber(store, `SELECT count(*) FROM ${row}`) > 0
        )
          findings.add('lost', `${step}, and it is back`);
    });
  return checkFolder({
    folder,
    promises: promisesAt(recording.marks, folder.n),
    inspect,
    secondStartLikely: 0.5,
  });
}

export const erase: Plan = {
  name: 'erase',
  meaning:
    'an import, and deletions of an inbox, a domain and an account beside new mail, with a SIGKILL between',
  recording: 'erase',
  weight: 20,
  record,
  cuts(recording) {
    const from = recording.marks.find(({ mark }) => mark.is === 'sending')!.n;
    const [deletions, last] = [findSteps(recording, 'deletions begin')[0]!, findSteps(recording, 'end')[0]!];
    return [findDelicateCuts(recording, from, last), range(from, deletions), range(deletions, last)];
  },
  check,
};
