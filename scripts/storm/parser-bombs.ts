/** Mails made to hold a parser or fill its memory, among honest ones. */
import { bombs } from '../../test/features/bombs.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { type Outcome, type Part, round, Stage, say, slowest } from './stage.ts';

const SHORT = 6;
const SENDERS = 2;
/** Each parser process keeps what it has grown to, within its bound, until it is the next to be killed. */
const ALLOWED_MB = 200;

export const parserBombs: Part = {
  meaning: 'parser bombs, two at a time, among honest mail',
  async run(is_short): Promise<Outcome> {
    await using stage = await Stage.open({ POSTERN_SMTP_MAX_SIZE: '40MiB' });
    await stage.sendUntil(() => stage.acknowledged.size >= 20);
    const before_mb = stage.memory_mb();
    const queue = Object.entries(bombs).slice(0, is_short ? SHORT : undefined);
    const count = queue.length;
    const refused: string[] = [];
    let is_over = false;
    const mail = stage.sendUntil(() => is_over, 50);
    const bomber = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [name, make] = next;
        try {
          using client = await SmtpClient.greet({ port: stage.smtp_port, timeout_ms: 60_000 });
          await say(client, stage.inbox.address, Buffer.from(make(), 'latin1'));
        } catch (fault) {
          refused.push(`${name}: ${(fault as Error).message}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, bomber)).finally(() => (is_over = true));
    const took_ms = await mail;
    const memory_fault = await stage.memoryFault(before_mb, ALLOWED_MB, 60);
    const faults = [...refused, ...(await stage.faults()).filter((fault) => !fault.includes('twice'))];
    if (memory_fault) faults.push(memory_fault);
    const after_mb = stage.memory_mb();
    // A parser that was killed is told, and is what was meant.
    const told = (await stage.end()).filter((line) => !/parser/.test(line));
    return {
      figures: {
        ...{ bombs: count, mails: took_ms.length, ...slowest(took_ms) },
        ...{ before_mb: round(before_mb), after_mb: round(after_mb) },
      },
      faults: [...faults, ...told],
    };
  },
};
