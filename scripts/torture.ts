/** Faults, made on purpose and often; the tests do the same a few times. Loads go to loopback only. */
import { parseArgs } from 'node:util';
import { killRounds } from '../test/features/kill-rounds.ts';
import { webhookKillRounds } from '../test/webhooks/kill-rounds.ts';

const usage = `usage: scripts/torture kill|webhooks [--rounds N]
  kill       SIGKILL to a server under load at a random moment, then a start on the same folder, N times (50).
             Exit 1 when a mail that was answered 250 is lost, doubled or damaged, or the database is not sound.
  webhooks   The same while it delivers webhooks, N times (20), 100 messages each. Exit 1 when a message that was
             answered 250 never reached the receiver, or came under two event ids.`;

async function kill(rounds: number): Promise<boolean> {
  const figures = await killRounds(rounds, (round, { acknowledged, lost, doubled, damaged }) => {
    if (round % 5 === 0)
      console.log(
        `round ${round}: ${acknowledged} answered 250, ${lost} lost, ${doubled} doubled, ${damaged} damaged`,
      );
  });
  tell(figures);
  const { lost, doubled, damaged, unsound } = figures;
  return lost + doubled + damaged + unsound.length === 0;
}

async function webhooks(rounds: number): Promise<boolean> {
  const figures = await webhookKillRounds(rounds, rounds * 100, (round, acknowledged, arrived) => {
    if (round % 5 === 0)
      console.log(`kill ${round}: ${acknowledged} answered 250, ${arrived} delivered so far`);
  });
  tell(figures);
  const { lost, two_ids, two_messages } = figures;
  return lost + two_ids + two_messages === 0;
}

const tortures = { kill: { run: kill, rounds: '50' }, webhooks: { run: webhooks, rounds: '20' } };

function wish(): { torture: keyof typeof tortures; rounds: number } | null {
  try {
    const { values, positionals } = parseArgs({
      options: { rounds: { type: 'string' }, help: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const torture = positionals.join() as keyof typeof tortures;
    const rounds = Number(values.rounds ?? tortures[torture]?.rounds);
    return torture in tortures && Number.isInteger(rounds) && rounds > 0 && !values.help
      ? { torture, rounds }
      : null;
  } catch {
    return null;
  }
}

function tell(figures: object): void {
  console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }));
}

const wanted = wish();
if (!wanted) {
  console.error(usage);
  process.exit(process.argv.includes('--help') ? 0 : 2);
}
const began = performance.now();
process.exit((await tortures[wanted.torture].run(wanted.rounds)) ? 0 : 1);
