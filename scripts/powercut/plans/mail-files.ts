/**
 * `mail import`, and `mail export` into an mbox, a folder and a Maildir beside new mail. Whatever a cut leaves, a file is
 * whole, an import continues where the inbox ends, and an export is repeated into the same place.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MboxReader } from '../../../src/platform/mail/mbox.ts';
import { posternJson } from '../../../test/doors/operator/command-process.ts';
import { Findings } from '../findings.ts';
import { openLoad } from '../load.ts';
import { makeMail, readNumber } from '../mails.ts';
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
import { promisesAt, type Step } from '../promises.ts';
import { Api, CHECKED_MS_MAX, end, makeSettings, readDoors, serve } from '../server.ts';

const EMAIL = 'files@example.org';
/** Numbers of the imported mails begin here, after those of the load. */
const IMPORTED_FROM = 100_000;
/** Several requests of an import (src/doors/operator/mail.ts). */
const IMPORTED = 200;
const MBOX_MAIL_BYTES_MAX = 1_000_000;
const numbers = range(IMPORTED_FROM, IMPORTED_FROM + IMPORTED - 1);

/** Where each export goes, its format, and how its mails are read. */
const exports: readonly { step: Step; out: string; format: string; read(path: string): Buffer[] }[] = [
  { step: 'mbox exported', out: 'out.mbox', format: 'mbox', read: readMbox },
  { step: 'folder exported', out: 'folder', format: 'eml', read: (path) => readMails(path) },
  {
    step: 'maildir exported',
    out: 'maildir',
    format: 'maildir',
    read: (path) => ['new', 'cur'].flatMap((part) => readMails(join(path, part))),
  },
];

interface FilesRecording extends Recording {
  files: string;
  inbox: { id: string; address: string };
}

async function record(stage: Stage): Promise<FilesRecording> {
  const { work, mails } = stage;
  const files = work.folder('files-to-import');
  for (const mail of numbers) writeFileSync(join(files, `${mail}.eml`), makeMail(mail));
  let inbox = { id: '', address: '' };
  const recording = await recordIn(stage, 'mail-files', work.folder('mail-files-files'), async (fs) => {
    const settings = makeSettings(join(fs.mount, 'data'));
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, settings);
    const server = await serve(settings);
    await fs.mark({ is: 'ready' });
    const load = await openLoad(settings, EMAIL, fs);
    await load.makeInbox(server.ready.http);
    const doors = readDoors(server);
    const { json } = await new Api(server.ready.http, load.key).call('POST', '/inboxes', {});
    inbox = json.data;
    const beside = load.run(doors, mails);
    await fs.mark({ is: 'step', step: 'import begins' });
    await run('mail', 'import', files, '--inbox', inbox.address);
    await fs.mark({ is: 'step', step: 'imported' });
    for (const { step, out, format } of exports) {
      await run('mail', 'export', inbox.address, '--format', format, '--out', join(fs.mount, out));
      await fs.mark({ is: 'step', step });
    }
    await beside;
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return load.refused;
  });
  return { ...recording, files, inbox };
}

function readMbox(file: string): Buffer[] {
  if (!existsSync(file)) return [];
  const reader = new MboxReader(MBOX_MAIL_BYTES_MAX);
  return [...reader.push(readFileSync(file)), ...reader.end()].map(({ raw }) => Buffer.from(raw));
}

function readMails(folder: string): Buffer[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => !name.endsWith('.partial')).map((name) => readFileSync(join(folder, name)));
}

async function check({ root, n }: CutFolder, recording: Recording) {
  const { marks, files, inbox } = recording as FilesRecording;
  const findings = new Findings();
  const promises = promisesAt(marks, n);
  const checked = { findings: findings.all, mails: 0, compared: 0 };
  for (const { step, out, format, read } of exports) {
    const mails = read(join(root, out));
    checkMails(out, mails, findings);
    checked.compared += mails.length;
    // An mbox has its name only when it is complete.
    const isWhole = promises.steps.includes(step) || (format === 'mbox' && existsSync(join(root, out)));
    if (isWhole && mails.length !== IMPORTED) findings.add('copy', `${out} has ${mails.length} mails`);
  }
  if (!promises.steps.includes('import begins')) return checked;
  const settings = makeSettings(join(root, 'data'));
  const server = await serve(settings, CHECKED_MS_MAX);
  try {
    const run = (...args: string[]) => posternJson<Record<string, string>>(args, settings);
    const list = async () => {
      const api = new Api(server.ready.http, promises.keys[0]!);
      const found = (await api.all(`/inboxes/${inbox.id}/messages`)) as { subject: string }[];
      return found.map(({ subject }) => readNumber(subject)).reverse();
    };
    const before = await list();
    checked.mails = before.length;
    if (before.some((number, index) => number !== numbers[index]))
      findings.add('lost', 'the imported mails are not the first ones of the files, in their order');
    if (promises.steps.includes('imported') && before.length < IMPORTED)
      findings.add('lost', `the import reported success, and ${before.length} mails are there`);
    await run('mail', 'import', files, '--inbox', inbox.address, '--skip', String(before.length));
    if ((await list()).join() !== numbers.join())
      findings.add('doubled', 'the continued import has not each mail once');
    for (const { out, format, read } of exports) {
      const path = join(root, out);
      if (format === 'mbox' && existsSync(path)) continue;
      await run('mail', 'export', inbox.address, '--format', format, '--out', path);
      const mails = read(path);
      checkMails(out, mails, findings);
      if (mails.length !== IMPORTED) findings.add('copy', `${out} has ${mails.length} mails when repeated`);
    }
  } finally {
    await end(server, 'SIGKILL');
  }
  return checked;
}

function checkMails(out: string, mails: readonly Buffer[], findings: Findings): void {
  const seen = new Set<number>();
  for (const mail of mails) {
    const number = readNumber(mail.toString('latin1'));
    const isWhole = number !== null && makeMail(number).equals(mail);
    if (!isWhole) findings.add('damaged', `${out} has a mail that is not whole (${number})`);
    else if (seen.has(number)) findings.add('doubled', `${out} has mail ${number} twice`);
    else seen.add(number);
  }
}

export const mailFiles: Plan = {
  name: 'mail-files',
  meaning: 'mail import, and mail export into an mbox, a folder and a Maildir, beside new mail',
  recording: 'mail-files',
  weight: 10,
  record,
  cuts(recording) {
    const { records } = recording;
    const [from] = findSteps(recording, 'import begins');
    const [imported] = findSteps(recording, 'imported');
    const to = findSteps(recording, 'maildir exported')[0]! + 3;
    // Most records are those of the mail beside it.
    const named = records
      .filter((one) => one.n > imported! && one.n <= to && /eml|mbox|postern$|:2,/.test(one.name ?? ''))
      .flatMap(({ n }) => [n - 1, n, n + 1]);
    return [range(from!, imported!), named, findDelicateCuts(recording, imported!, to), range(imported!, to)];
  },
  check,
};
