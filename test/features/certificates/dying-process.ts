/**
 * A server that kills itself at a moment of its order for a certificate, as a power cut would. Run by killed.test.ts.
 * Without a moment it waits to be killed.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAppliance } from '../../../src/app/app.ts';
import { CertificateInUse } from '../../../src/features/certificates/in-use.ts';
import { createLog } from '../../../src/platform/core/log.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import { AcmeShelf } from '../../../src/platform/net/acme/shelf.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { built } from '../../program.ts';

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

/** Without the checks of test/start.ts, which would double the time that each start takes. */
async function main(): Promise<void> {
  const clock = new FakeClock(nowUs);
  const toml = { http_listen: '127.0.0.1:0', disk_floor: '0', data_dir: dataDir, ...settings };
  const log = createLog({ form: 'json', level: 'error', colour: false, write: () => {}, nowUs: () => 0 });
  await startAppliance({
    ...built,
    ...settingsFrom({ toml }),
    log,
    dataDir,
    key: randomBytes(32),
    clock,
  });
  const parent = process.ppid;
  // Not without the test that has to kill it.
  for (let turn = 0; process.ppid === parent; turn++) {
    await clock.advance(250);
    // The CA is in another process, which may be slow (stage.ts).
    await Bun.sleep(10);
    if (turn === 100) process.stdout.write('up\n');
  }
  process.exit(1);
}

void main();
