/** The file of a large mail: what is stored behind a 250 is what was received, whatever happens to the file. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
let box: Mailbox;
beforeAll(async () => {
  const program = [process.execPath, join(import.meta.dir, 'tampering-parser.ts')];
  appliance = await startAppliance({ program, settings: { limits: 'off' } });
  box = await Mailbox.open(appliance);
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** More than intake keeps in memory. */
const mail = (subject: string) => `Subject: ${subject}\r\n\r\n${'a line of text\r\n'.repeat(40_000)}`;
const spool = () => readdirSync(join(appliance.dataDir, 'spool'));

test.each(['SHORTEN', 'EMPTY', 'LENGTHEN', 'OVERWRITE', 'REPLACE', 'REMOVE'])(
  'a large mail whose file another program changes (%s) is refused for now, and nothing of it is stored',
  async (change) => {
    expect((await box.send(mail(change))).data).toMatchObject({ code: 451 });
    expect(await box.subjects()).not.toContain(change);
    expect(spool()).toEqual([]);
    const message = await box.receive(mail('unchanged'));
    expect((await box.raw(message.id)).toString()).toBe(mail('unchanged'));
    expect(appliance.logged.splice(0).join()).toContain('mail answered 451');
  },
);

test('while the spool folder is missing, large mail is refused for now and small mail is accepted', async () => {
  const folder = join(appliance.dataDir, 'spool');
  rmSync(folder, { recursive: true });
  expect((await box.send(mail('large'))).data).toMatchObject({ code: 451 });
  expect(appliance.logged.splice(0).join()).toContain('ENOENT');
  expect((await box.receive('Subject: small\r\n\r\nx\r\n')).subject).toBe('small');
  mkdirSync(folder);
  const message = await box.receive(mail('later'));
  expect((await box.raw(message.id)).toString()).toBe(mail('later'));
  expect(appliance.logged).toEqual([]);
});
