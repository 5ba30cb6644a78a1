/**
 * A server that kills itself at a moment of its order for a certificate, as a power cut would. Run by killed.test.ts.
 * Without a moment it waits to be killed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CertificateInUse } from '../../../src/features/certificates/in-use.ts';
import { AcmeShelf } from '../../../src/platform/net/acme/shelf.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';

export interface Dying {
  settings: Record<string, string>;
  data_dir: string;
  nowUs: number;
  /** `place order.json`, then `before`, `half` or `after`, then which time it happens. */
  moment: { what: string; when: 'before' | 'half' | 'after'; nth: number } | null;
}

const { settings, data_dir, nowUs, moment } = JSON.parse(process.env.POSTERN_TEST_DYING!) as Dying;
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
  const half = () => writeFileSync(join(data_dir, 'acme', `${name}.new`), text.slice(0, text.length / 2));
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

const clock = new FakeClock(nowUs);
await startAppliance({ clock, data_dir, settings, log_level: 'info' });
const parent = process.ppid;
// Not without the test that has to kill it.
for (let turn = 0; process.ppid === parent; turn++) {
  await clock.advance(250);
  await Bun.sleep(2);
  if (turn === 100) process.stdout.write('up\n');
}
process.exit(1);
