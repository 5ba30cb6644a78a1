/** SIGKILL between any two steps of an order: the old certificate stays, nothing is half replaced, the CA is spared. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from '../../bundled.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { havePebble } from '../../peers/pebble.ts';
import type { RunningAppliance } from '../../start.ts';
import type { Dying } from './dying-process.ts';
import type { Step } from './fake-ca.ts';
import { hasBegun } from './markers.ts';
import { makePebbleScene, names, readCertificate, said } from './scene.ts';
import { count, DAY_MS, drive, issued, letFetch, MINUTE_MS, stage, staysQuiet } from './stage.ts';

type Moment = Dying['moment'];

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dir, 'dying-process.ts'));
});
afterAll(() => program[Symbol.dispose]());

function startDying(dying: Dying) {
  const env = { ...process.env, POSTERN_TEST_DYING: JSON.stringify(dying) };
  return Bun.spawn([process.execPath, program.path], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Resolves when the process says that enough of its time has passed for an attempt that is due to begin. */
async function hearsUp({ stdout }: ReturnType<typeof startDying>): Promise<void> {
  await stdout.getReader().read();
}

/** The serial number that mail and https show, which must be the same. */
async function readSerial({ httpPort, smtpPort }: RunningAppliance): Promise<string> {
  const [web, mail] = await Promise.all([httpPort, smtpPort].map((port) => readCertificate(port)));
  expect(web!.serialNumber).toBe(mail!.serialNumber);
  return web!.serialNumber;
}

/** A CA, and a data folder whose certificate is due for renewal. */
async function makeDue() {
  const at = await stage();
  let serial: string;
  {
    await using server = await at.start();
    await drive(at.clock, issued(server));
    serial = await readSerial(server);
  }
  at.clock.set(at.clock.nowUs() + 61 * DAY_MS * 1000);
  for (const file of readdirSync(join(at.dataDir, 'acme'))) {
    if (file.startsWith('account')) rmSync(join(at.dataDir, 'acme', file));
  }
  return { ...at, serial, settings: at.scene.settings(at.ca.directory) };
}

/** Kills a server that runs on a copy of the folder, and returns the copy. With `step`, at that request to the CA. */
async function die(at: Awaited<ReturnType<typeof makeDue>>, moment: Moment, step?: Step): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-killed-'));
  cpSync(at.dataDir, dataDir, { recursive: true });
  const child = startDying({ settings: at.settings, dataDir, nowUs: at.clock.nowUs(), moment });
  if (step) {
    at.ca.lie(step, () => {
      child.kill('SIGKILL');
      return { how: 'no answer' };
    });
  }
  await child.exited;
  if (step) at.ca.lie(step, null);
  expect(child.signalCode).toBe('SIGKILL');
  return dataDir;
}

const onDisk = (what: string, when: 'before' | 'half' | 'after', nth = 1): [string, Moment] => [
  `${when} ${what}, time ${nth}`,
  { what, when, nth },
];

const moments: [string, Moment, Step?][] = [
  onDisk('place state.json', 'before'),
  onDisk('place state.json', 'half'),
  ['when the directory is asked for', null, 'directory'],
  onDisk('place account.key', 'half'),
  ['when the account is made', null, 'account'],
  ['when the order is made', null, 'newOrder'],
  onDisk('place order.json', 'before'),
  onDisk('place order.json', 'half'),
  ['when the challenge is read', null, 'authorization'],
  ['when the challenge is answered', null, 'challenge'],
  ['when the order is read', null, 'order'],
  ['when it is finalised', null, 'finalize'],
  ['when the certificate is downloaded', null, 'certificate'],
  onDisk('place certificate.pem', 'before'),
  onDisk('place certificate.pem', 'half'),
  onDisk('place certificate.pem', 'after'),
  onDisk('put it to use', 'before'),
  onDisk('place state.json', 'half', 2),
  onDisk('drop the order', 'before'),
  onDisk('drop the order', 'after'),
];

test('a server killed at any step serves the old certificate, waits until it is due, and gets the new one', async () => {
  await using at = await makeDue();
  for (const [name, moment, step] of moments) {
    const orders = count(at.ca, 'newOrder');
    const finalized = count(at.ca, 'finalize');
    const asked = at.ca.asked.length;
    const dataDir = await die(at, moment, step);
    const isRecorded = readState(dataDir) !== readState(at.dataDir);
    if (at.ca.asked.length > asked) expect([name, isRecorded]).toEqual([name, true]);
    const isIssued = count(at.ca, 'finalize') > finalized;
    expect([name, await recover(at, dataDir, isRecorded)]).toEqual([name, 'the new one']);
    // What the CA has issued is fetched, and not asked for again.
    expect([name, count(at.ca, 'finalize') - finalized]).toEqual([name, 1]);
    expect([name, count(at.ca, 'newOrder') - orders <= (isIssued ? 1 : 2)]).toEqual([name, true]);
    rmSync(dataDir, { recursive: true });
  }
  // The CA could not reach a server that was dead.
  expect(at.ca.complaints.filter((each) => !/connect/i.test(each))).toEqual([]);
}, 240_000);

const readState = (dataDir: string) => readFileSync(join(dataDir, 'acme/state.json'), 'utf8');

/** Starts a server in the folder of a dead one, which has recorded an attempt or not. Returns what it has in the end. */
async function recover(at: Awaited<ReturnType<typeof makeDue>>, dataDir: string, isRecorded: boolean) {
  const clock = new FakeClock(at.clock.nowUs() + 1_000_000);
  letFetch(clock, at.ca);
  await using server = await at.scene.start(at.ca.directory, { clock, dataDir });
  const isNew = (await readSerial(server)) !== at.serial;
  if (isRecorded) {
    const isQuiet = await staysQuiet(at.scene, server, () => clock.leap(9 * MINUTE_MS));
    if (!isQuiet) return 'asked too soon';
    await clock.leap(2 * MINUTE_MS);
  }
  if (!isNew) await drive(clock, issued(server));
  if (said(server, 'damaged').length > 0) return 'damaged';
  return (await readSerial(server)) === at.serial ? 'the old one' : 'the new one';
}

test('a server that is killed again and again asks the CA no more often than one that keeps running', async () => {
  await using at = await stage();
  const settings = at.scene.settings(at.ca.directory);
  const began = at.clock.nowUs();
  for (const minute of [0, 1, 9, 11, 12, 40, 42, 58]) {
    const asked = Promise.withResolvers<void>();
    const nowUs = began + minute * MINUTE_MS * 1000;
    at.ca.lie('newOrder', () => {
      asked.resolve();
      return { how: 'no answer' };
    });
    const before = at.scene.dns.asked.length;
    const child = startDying({ settings, dataDir: at.dataDir, nowUs, moment: null });
    await hearsUp(child);
    if (hasBegun(at.scene.dns, names, before)) await asked.promise;
    child.kill('SIGKILL');
    await child.exited;
  }
  // At 0, 11 and 42 minutes; the fourth in an hour would be one too many.
  expect(count(at.ca, 'newOrder')).toBe(3);
}, 60_000);

describe.skipIf(!havePebble())('with Pebble', () => {
  test('the order of a server that was killed is continued with its own key', async () => {
    await using scene = await makePebbleScene();
    const settings = scene.settings(scene.pebble.directory);
    for (const what of ['place order.json', 'place certificate.pem']) {
      const dataDir = mkdtempSync(join(tmpdir(), 'postern-killed-'));
      const nowUs = Date.now() * 1000;
      const when = what === 'place order.json' ? 'after' : 'before';
      const child = startDying({ settings, dataDir, nowUs, moment: { what, when, nth: 1 } });
      await child.exited;
      const kept = JSON.parse(readFileSync(join(dataDir, 'acme/order.json'), 'utf8'));
      const clock = new FakeClock(nowUs);
      await using server = await scene.start(scene.pebble.directory, { clock, dataDir });
      expect((await readCertificate(server.smtpPort)).subject.CN).toBe(names[1]!);
      await clock.leap(11 * MINUTE_MS);
      await drive(clock, issued(server));
      expect(readFileSync(join(dataDir, 'acme/certificate.pem'), 'utf8')).toContain(kept.key.trim());
      rmSync(dataDir, { recursive: true });
    }
  });
});
