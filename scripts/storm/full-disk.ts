/** Fills a disk and frees it again, repeatedly, while mail arrives. Mounts a small tmpfs, so it needs root. */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { type Outcome, type Part, SENDER, Stage } from './stage.ts';

const ROUNDS = { full: 10, short: 2 };
const MAILS = 40;
const PADDING = 'x'.repeat(70);

export const fullDisk: Part = {
  meaning: 'a disk that fills up and has room again, while mail arrives',
  async run(length): Promise<Outcome> {
    const disk = mkdtempSync(join(tmpdir(), 'postern-storm-disk-'));
    const mounted =
      Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk], { stderr: 'ignore' })
        .exitCode === 0;
    if (!mounted) return { figures: { skipped: 'no tmpfs can be mounted here' }, faults: [] };
    try {
      mkdirSync(join(disk, 'stage'));
      await using stage = await Stage.open({}, join(disk, 'stage'));
      const counts = { accepted: 0, refused: 0, other: 0 };
      const rounds = ROUNDS[length];
      let recovered = 0;
      for (let round = 0; round < rounds; round++) {
        await sendMany(stage, `room-${round}`, counts);
        fill(disk);
        await sendMany(stage, `full-${round}`, counts);
        rmSync(join(disk, 'filler'), { force: true });
        const before = counts.accepted;
        await sendMany(stage, `again-${round}`, counts);
        if (counts.accepted - before === MAILS) recovered++;
      }
      const faults = await stage.faults();
      if (counts.refused === 0) faults.push('the disk never filled up');
      if (counts.other > 0) faults.push(`${counts.other} mails were answered neither 250 nor 452`);
      if (recovered < rounds)
        faults.push(`mail was not accepted at once in ${rounds - recovered} of ${rounds} rounds`);
      await stage.end();
      return { figures: { rounds, ...counts }, faults };
    } finally {
      Bun.spawnSync(['umount', '-l', disk]);
      rmSync(disk, { recursive: true, force: true });
    }
  },
};

function fill(disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filler'), new Uint8Array(Math.max(0, bavail * bsize - 64 * 1024)));
}

async function sendMany(
  stage: Stage,
  name: string,
  counts: { accepted: number; refused: number; other: number },
): Promise<void> {
  for (let number = 0; number < MAILS; number++) {
    const subject = `${name}-${number}`;
    try {
      using client = await SmtpClient.greet({ port: stage.smtpPort });
      // Random, so that zstd can't compress it.
      const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))).toString('base64');
      await client.deliver(
        SENDER,
        stage.inbox.address,
        `Subject: ${subject}\r\n\r\n${PADDING}\r\n${noise}\r\n`,
      );
      stage.acknowledged.add(subject);
      counts.accepted++;
    } catch (fault) {
      counts[/answered 452/.test((fault as Error).message) ? 'refused' : 'other']++;
    }
  }
}
