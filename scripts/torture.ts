/** Faults, made on purpose and often; the tests do the same a few times. Loads go to loopback only. */
import { parseArgs } from 'node:util';
import { killRounds } from '../test/features/kill-rounds.ts';

const usage = `usage: scripts/torture kill [--rounds N]
  kill   SIGKILL to a server under load at a random moment, then a start on the same folder, N times (50).
         Exit 1 when a mail that was answered 250 is lost, doubled or damaged, or the database is not sound.`;

function wish(): { rounds: number } | null {
  try {
    const { values, positionals } = parseArgs({
      options: { rounds: { type: 'string', default: '50' }, help: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const rounds = Number(values.rounds);
    const is_right = positionals.join() === 'kill' && Number.isInteger(rounds) && rounds > 0 && !values.help;
    return is_right ? { rounds } : null;
  } catch {
    return null;
  }
}

const wanted = wish();
if (!wanted) {
  console.error(usage);
  process.exit(process.argv.includes('--help') ? 0 : 2);
}
const began = performance.now();
const figures = await killRounds(wanted.rounds, (round, { acknowledged, lost, doubled, damaged }) => {
  if (round % 5 === 0)
    console.log(
      `round ${round}: ${acknowledged} answered 250, ${lost} lost, ${doubled} doubled, ${damaged} damaged`,
    );
});
console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }));
const { lost, doubled, damaged, unsound } = figures;
process.exit(lost + doubled + damaged + unsound.length > 0 ? 1 : 0);
