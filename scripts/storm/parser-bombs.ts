/** Sends mails that are made to block a parser or fill its memory, among well-formed ones. */
import { bombs } from '../../test/features/ingest/bombs.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { findSlowest, type Outcome, type Part, round, SENDER, Stage } from './stage.ts';

const BOMBS = { full: Number.POSITIVE_INFINITY, short: 6 };
const SENDERS = 2;
/** Each parser process keeps the memory it has grown to, within its bound, until it is killed. */
const ALLOWED_MB = 200;

export const parserBombs: Part = {
  meaning: 'parser bombs, two at a time, among well-formed mail',
  async run(length): Promise<Outcome> {
    await using stage = await Stage.open({ POSTERN_SMTP_MAX_SIZE: '40MiB' });
    await stage.sendUntil(() => stage.acknowledged.size >= 20);
    const beforeMb = stage.memoryMb();
    const queue = Object.entries(bombs).slice(0, BOMBS[length]);
    const count = queue.length;
    const refused: string[] = [];
    let isOver = false;
    const mail = stage.sendUntil(() => isOver, 50);
    const bomber = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [name, make] = next;
        try {
          using client = await SmtpClient.greet({ port: stage.smtpPort, timeoutMs: 60_000 });
          await client.deliver(SENDER, stage.inbox.address, Buffer.from(make(), 'latin1'));
        } catch (fault) {
          refused.push(`${name}: ${(fault as Error).message}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, bomber)).finally(() => (isOver = true));
    const tookMs = await mail;
    const found = await stage.faultsWithMemory(beforeMb, ALLOWED_MB);
    // Bombs have no subject of their own, so several look like one.
    const faults = [...refused, ...found.filter((fault) => !fault.includes('duplicated'))];
    const afterMb = stage.memoryMb();
    // Killing a parser logs a warning, as intended.
    const warnings = (await stage.end()).filter((line) => !/parser/.test(line));
    return {
      figures: {
        bombs: count,
        mails: tookMs.length,
        ...findSlowest(tookMs),
        beforeMb: round(beforeMb),
        afterMb: round(afterMb),
      },
      faults: [...faults, ...warnings],
    };
  },
};
