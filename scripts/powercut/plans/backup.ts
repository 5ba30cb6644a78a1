/** `postern backup` beside a server under load, twice under one name: that file is always a complete backup. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { postern, posternJson } from '../../../test/doors/operator/command-process.ts';
import { Findings } from '../findings.ts';
import { readNumber } from '../mails.ts';
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
import { nameCopy, promisesAt } from '../promises.ts';
import { makeSettings } from '../server.ts';
import { checkKey, withStore } from '../store-look.ts';
import { withLoadedServer } from './load.ts';

const FILE = 'backup.db';

async function record(stage: Stage): Promise<Recording> {
  const part = Math.ceil(stage.mails / 6);
  return recordIn(stage, 'backup', stage.work.folder('backup-files'), (fs) =>
    withLoadedServer(fs, async ({ settings, load, doors, stop }) => {
      for (const turn of [1, 2]) {
        await load.run(doors(), (2 * turn - 1) * part);
        await fs.mark({ is: 'step', step: 'backup begins' });
        const meanwhile = load.run(doors(), 2 * turn * part);
        await posternJson(['backup', join(fs.mount, FILE)], settings);
        await fs.mark({ is: 'step', step: 'backup done' });
        await meanwhile;
      }
      await stop('SIGTERM');
      await fs.mark({ is: 'step', step: 'end' });
    }),
  );
}

/** From the start of each backup to a little after its end. */
function findWindows(recording: Recording): { from: number; to: number }[] {
  const ends = findSteps(recording, 'backup done');
  return findSteps(recording, 'backup begins').map((from, index) => ({ from, to: ends[index]! + 3 }));
}

/** The record at which the newest required backup began; null when none is required. */
function findWantedSince(recording: Recording, n: number): number | null {
  const done = findSteps(recording, 'backup done').filter((at) => at <= n).length;
  return done === 0 ? null : findSteps(recording, 'backup begins')[done - 1]!;
}

async function check({ root, n }: CutFolder, recording: Recording) {
  const findings = new Findings();
  const checked = { findings: findings.all, mails: 0, compared: 0 };
  const [file, restored] = [join(root, FILE), join(root, 'restored')];
  const since = findWantedSince(recording, n);
  if (!existsSync(file)) {
    if (since !== null) findings.add('copy', 'the finished backup is missing');
    return checked;
  }
  const { status, stderr } = await postern(['restore', file, '--json'], makeSettings(restored));
  if (status !== 0) {
    findings.add('copy', `the file with the backup's name is not a backup: ${stderr.trim().slice(-300)}`);
    return checked;
  }
  const promises = promisesAt(recording.marks, since ?? 0);
  checked.mails = promises.mails.size;
  withStore(join(restored, 'postern.db'), (store) => {
    checkKey(restored, store, findings);
    const rows = store
      .query('SELECT subject, inbox.id AS inbox FROM message JOIN inbox ON inbox.no = message.inbox_no')
      .all() as { subject: string; inbox: string }[];
    const copies = rows.map(({ subject, inbox }) => nameCopy(readNumber(subject)!, inbox));
    const found = new Set(copies);
    if (found.size < copies.length) findings.add('doubled', 'the backup has a mail twice');
    for (const mail of promises.mails) {
      const missing = promises.sending.get(mail)!.filter((inbox) => !found.has(nameCopy(mail, inbox)));
      for (const inbox of missing) findings.add('copy', `the backup lacks mail ${nameCopy(mail, inbox)}`);
    }
  });
  return checked;
}

export const backup: Plan = {
  name: 'backup',
  meaning: 'two backups under one name, beside a server under load',
  recording: 'backup',
  weight: 10,
  record,
  cuts: (recording) => {
    // A cut between the load's writes does not test the backup, so most are at the backup's own names and syncs.
    const named = findWindows(recording).flatMap(({ from, to }) => {
      const its = recording.records.filter((one) => one.n >= from && one.n <= to);
      return its
        .filter(({ op, name }) => op === 'fsyncdir' || name?.startsWith(FILE))
        .flatMap(({ n }) => [n - 1, n, n + 1]);
    });
    const all = findWindows(recording);
    return [
      named,
      all.flatMap(({ from, to }) => findDelicateCuts(recording, from, to)),
      all.flatMap(({ from, to }) => range(from, to)),
    ];
  },
  check,
};
