/**
 * A server that kills itself at a moment of its order for a certificate, as a power cut would. Run by killed.test.ts.
 * Without a moment it lets some time pass, says that it is up, and waits to be killed.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAppliance } from '../../../src/app/app.ts';
import { CertificateInUse } from '../../../src/features/certificates/in-use.ts';
import type { Cancel } from '../../../src/platform/core/clock.ts';
import { createLog } from '../../../src/platform/core/log.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import { AcmeShelf } from '../../../src/platform/net/acme/shelf.ts';
import { acme } from '../../../src/rules/acme.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { built } from '../../program.ts';
import { askMarkers } from './markers.ts';

export interface Dying {
  settings: Record<string, string>;
  dataDir: string;
  nowUs: number;
  /** `place order.json`, then `before`, `half` or `after`, then which time it happens. */
  moment: { what: string; when: 'before' | 'half' | 'after'; nth: number } | null;
}

const { settings, dataDir, nowUs, moment } = JSON.parse(process.env.POSTERN_TEST_DYING!) as Dying;
let seen = 0;

const die = () => process.kill(process.pid, 'SIGKILL');

/** Runs `act`, and dies before or after it when its time has come. */
function pass(what: string, act: () => void, half = () => {}): void {
  const isNow = moment?.what === what && ++seen === moment.nth;
  if (isNow && moment.when === 'half') half();
  if (isNow && moment.when !== 'after') die();
  act();
  if (isNow) die();
}

interface Placing {
  place(name: string, text: string): void;
}
const shelf = AcmeShelf.prototype as unknown as Placing;
const { place } = shelf;
shelf.place = function (this: Placing, name, text) {
  const what = `place ${name.replace(/-.*\./, '.')}`;
  const half = () => writeFileSync(join(dataDir, 'acme', `${name}.new`), text.slice(0, text.length / 2));
  pass(what, () => place.call(this, name, text), half);
};
const { keepOrder } = AcmeShelf.prototype;
AcmeShelf.prototype.keepOrder = function (order) {
  if (order === null) pass('drop the order', () => keepOrder.call(this, order));
  else keepOrder.call(this, order);
};
const { setCertificate } = CertificateInUse.prototype;
CertificateInUse.prototype.setCertificate = function (certificate) {
  pass('put it to use', () => setCertificate.call(this, certificate));
};

/**
 * Stands still, except that a poll of the CA is due at once: no time-out passes, however long the CA, which is in another
 * process, takes on a busy machine.
 */
class StillClock extends FakeClock {
  private static readonly polls = new Set(acme.pollAfterS.map((seconds) => seconds * 1000));

  override after(delayMs: number, run: () => void): Cancel {
    if (!StillClock.polls.has(delayMs)) return super.after(delayMs, run);
    const timer = setTimeout(run, 10);
    return () => clearTimeout(timer);
  }
}

/** Less than the minutes after which the test starts the next server. */
const UP_FOR_MS = 50_000;

/** Without the checks of test/start.ts, which would double the time that each start takes. */
async function main(): Promise<void> {
  const clock = new StillClock(nowUs);
  const toml = { http_listen: '127.0.0.1:0', disk_floor: '0', data_dir: dataDir, ...settings };
  const log = createLog({ form: 'json', level: 'error', colour: false, write: () => {}, nowUs: () => 0 });
  const { served } = await startAppliance({
    ...built,
    ...settingsFrom({ toml }),
    log,
    dataDir,
    key: randomBytes(32),
    clock,
  });
  if (moment === null) {
    await clock.advance(UP_FOR_MS);
    await askMarkers(served!.outside.resolver);
    process.stdout.write('up\n');
  }
  const parent = process.ppid;
  // Not without the test that has to kill it.
  while (process.ppid === parent) await Bun.sleep(100);
  process.exit(1);
}

void main();
