/**
 * Everything secret changes: webhook secrets are rotated, API keys created and revoked, a domain gets its DKIM key, and a CA
 * issues two certificates. After a cut each secret can be read, the newest that was answered is in use, and the folder
 * acme/ has whole files of one order.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/platform/core/clock.ts';
import { ServerKey } from '../../../src/platform/core/sealed.ts';
import { AcmeShelf } from '../../../src/platform/net/acme/shelf.ts';
import { posternJson, type Serving } from '../../../test/doors/operator/command-process.ts';
import { type FakeCa, startFakeCa } from '../../../test/features/certificates/fake-ca.ts';
import { makeScene } from '../../../test/features/certificates/scene.ts';
import { readySender } from '../../../test/features/outbound/ready-sender.ts';
import { until } from '../../../test/until.ts';
import { checkFolder } from '../check.ts';
import type { CrashFs } from '../crashfs.ts';
import type { Findings } from '../findings.ts';
import { FROM_DOMAIN, Load } from '../load.ts';
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
import { type Marked, promisesAt, type Step } from '../promises.ts';
import { Api, end, makeSettings, serve } from '../server.ts';
import { listWebhookSecrets, withStore } from '../store-look.ts';

const TURNS = 8;
const ISSUED_MS_MAX = 30_000;
/** Another name of the server, for which it gets another certificate. */
const OTHER_NAME = 'one.acme.test';

interface SecretsRecording extends Recording {
  /** `server.key` and the key of the account at the CA, by file name. */
  keys: Map<string, string>;
}

async function record(stage: Stage): Promise<SecretsRecording> {
  const keys = new Map<string, string>();
  const recording = await recordIn(stage, 'secrets', stage.work.folder('secrets-files'), async (fs) => {
    await using scene = await makeScene();
    scene.dns.setAddresses(OTHER_NAME, '127.0.0.1');
    await using ca = await startFakeCa({ clock: systemClock, httpPort: scene.httpPort });
    markSteps(fs, ca);
    const dataDir = join(fs.mount, 'data');
    const settings = makeSettings(dataDir);
    for (const [name, value] of Object.entries(scene.settings(ca.directory)))
      if (!/listen|http_tls/.test(name) || name === 'acme_http_listen')
        settings[`POSTERN_${name.toUpperCase()}`] = value;
    let server = await serve(settings);
    await fs.mark({ is: 'ready' });
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, settings);
    const key = await readySender(server.ready.http, run, scene.dns, FROM_DOMAIN);
    await fs.mark({ is: 'account', email: 'sender@example.org', key });
    await changeSecrets(fs, server, key, run);
    await awaitCertificate(fs, dataDir, null);
    const first = readFileSync(join(dataDir, 'acme/certificate.pem'), 'utf8');
    await end(server, 'SIGTERM');
    server = await serve({ ...settings, POSTERN_MX_HOST: OTHER_NAME });
    await fs.mark({ is: 'ready' });
    await changeSecrets(fs, server, key, run);
    await awaitCertificate(fs, dataDir, first);
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    keys.set('server.key', readFileSync(join(dataDir, 'server.key'), 'hex'));
    for (const name of readdirSync(join(dataDir, 'acme')))
      if (name.endsWith('.key')) keys.set(`acme/${name}`, readFileSync(join(dataDir, 'acme', name), 'hex'));
    return [];
  });
  return { ...recording, keys };
}

/** What the CA is asked for may never be lost: the key of the account, and that of the order. */
function markSteps(fs: CrashFs, ca: FakeCa): void {
  const asked: [Parameters<FakeCa['lie']>[0], Step][] = [
    ['account', 'CA has account'],
    ['finalize', 'CA has key'],
  ];
  for (const [at, step] of asked)
    ca.lie(at, (honest) => {
      void fs.mark({ is: 'step', step });
      return honest;
    });
}

/** Waits for another certificate than `before`, and marks that it is there. */
async function awaitCertificate(fs: CrashFs, dataDir: string, before: string | null): Promise<void> {
  const file = join(dataDir, 'acme/certificate.pem');
  const isIssued = () => existsSync(file) && readFileSync(file, 'utf8') !== before;
  await until(() => isIssued() && !existsSync(join(dataDir, 'acme/order.json')), ISSUED_MS_MAX);
  await fs.mark({ is: 'step', step: 'certificate' });
}

async function changeSecrets(
  fs: CrashFs,
  { ready: { http } }: Serving,
  key: string,
  run: (...args: string[]) => Promise<Record<string, string>>,
): Promise<void> {
  const { id, address } = await new Load(fs, key).makeInbox(http);
  await run('webhook', 'set', address, '--url', 'https://hooks.example.org/');
  for (let turn = 0; turn < TURNS; turn++) {
    const { secret } = await run('webhook', 'rotate', address);
    await fs.mark({ is: 'secret', inbox: id, secret: secret! });
    const made = await run('key', 'create', 'sender@example.org');
    if (turn % 2 === 0) await fs.mark({ is: 'key', key: made.api_key! });
    if (turn % 2 === 0) continue;
    await run('key', 'revoke', made.key_id!);
    await fs.mark({ is: 'key gone', key: made.api_key! });
  }
}

async function check(folder: CutFolder, recording: Recording) {
  const { marks, keys } = recording as SecretsRecording;
  const made = marks.filter(({ n }) => n <= folder.n);
  let before: (findings: Findings) => void = () => {};
  try {
    const faults = findFileFaults(join(folder.root, 'data'), made, keys);
    before = (findings) => {
      for (const fault of faults) findings.add('key', fault);
    };
  } catch (fault) {
    before = (findings) => findings.add('key', String(fault));
  }
  return checkFolder({
    folder,
    secondStartLikely: 0.3,
    promises: async ({ ready: { http } }, findings) => {
      before(findings);
      for (const { mark } of made) {
        if (mark.is !== 'key gone') continue;
        const { status } = await new Api(http, mark.key).call('GET', '/account');
        if (status !== 401) findings.add('lost', `a revoked key is answered ${status}`);
      }
      return promisesAt(marks, folder.n);
    },
    inspect: (dataDir, findings) => checkSecrets(dataDir, made, findings),
  });
}

/** Looks at the files before a server repairs them. */
function findFileFaults(
  dataDir: string,
  made: readonly Marked[],
  keys: ReadonlyMap<string, string>,
): string[] {
  const has = (step: Step) => made.some(({ mark }) => mark.is === 'step' && mark.step === step);
  const faults: string[] = [];
  for (const [name, hex] of keys) {
    const file = join(dataDir, name);
    const isPromised = name === 'server.key' ? made.length > 0 : has('CA has account');
    if (existsSync(file) ? readFileSync(file, 'hex') !== hex : isPromised)
      faults.push(`${name} is not as it was`);
  }
  const shelf = new AcmeShelf(dataDir);
  const certificate = shelf.readCertificate();
  if (certificate.kind === 'damaged') faults.push(certificate.reason);
  if (certificate.kind === 'none' && has('certificate')) faults.push('the certificate is gone');
  if (existsSync(join(dataDir, 'acme/order.json')) && !shelf.readOrder())
    faults.push('order.json is damaged');
  if (certificate.kind === 'none' && !shelf.readOrder() && has('CA has key'))
    faults.push('the key of the order is gone');
  if (shelf.readHistory(0).attempts.some(({ reason }) => /damaged/.test(reason ?? '')))
    faults.push('state.json is damaged');
  return faults;
}

/** The newest secret that was answered signs; a newer one may too. */
function checkSecrets(dataDir: string, made: readonly Marked[], findings: Findings): void {
  const newest = new Map(
    made.flatMap(({ mark }) => (mark.is === 'secret' ? [[mark.inbox, mark.secret] as const] : [])),
  );
  const key = new ServerKey(readFileSync(join(dataDir, 'server.key')));
  const secrets = withStore(join(dataDir, 'postern.db'), (store) => listWebhookSecrets(key, store));
  for (const [inbox, secret] of newest)
    if (!secrets.get(inbox)?.includes(secret)) findings.add('lost', `the secret of the webhook of ${inbox}`);
}

export const secrets: Plan = {
  name: 'secrets',
  meaning: 'webhook secrets, API keys and DKIM keys change, and a CA issues two certificates',
  recording: 'secrets',
  weight: 10,
  record,
  cuts(recording) {
    const { records } = recording;
    const last = findSteps(recording, 'end')[0]!;
    const named = records
      .filter(({ name }) => /\.(key|pem|json|crt)(\.new)?$/.test(name ?? ''))
      .flatMap(({ n }) => [n - 1, n, n + 1, n + 2]);
    return [named.filter((n) => n > 0 && n <= last), findDelicateCuts(recording, 1, last), range(1, last)];
  },
  check,
};
