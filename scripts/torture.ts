/** Causes faults again and again, which the tests do only a few times. Loads use only loopback. */
import { parseArgs } from 'node:util';
import { killRounds } from '../test/features/kill-rounds.ts';
import { outboundKillRounds } from '../test/features/outbound/kill-rounds.ts';
import { supportRounds } from '../test/features/support/support-rounds.ts';
import { webhookKillRounds } from '../test/features/webhooks/kill-rounds.ts';
import { litestream, litestreamUsage, readLitestreamArguments } from './litestream/run.ts';
import { powercutUsage, readPowercutArguments } from './powercut/arguments.ts';
import { powercut } from './powercut/run.ts';
import { readSoakArguments, soak, soakUsage } from './soak/run.ts';
import { crowd } from './storm/crowd.ts';
import { fullDisk } from './storm/full-disk.ts';
import { fuzz } from './storm/fuzz.ts';
import { kills } from './storm/kills.ts';
import { parserBombs } from './storm/parser-bombs.ts';
import { slow } from './storm/slow.ts';
import type { Length, Part } from './storm/stage.ts';

const parts: Record<string, Part> = { kills, disk: fullDisk, bombs: parserBombs, crowd, slow, fuzz };

const usage = `usage: scripts/torture kill [--rounds N] [--mails N]
       scripts/torture webhooks|outbound|support [--rounds N]
       scripts/torture storm [PART…] [--smoke]
       scripts/torture powercut [--plan PLAN] [--cuts N] [--variants A,B] [--mails N] [--jobs N] [--smoke] [--mutant]
       scripts/torture soak [--minutes N] [--rate N] [--smoke]
       scripts/torture litestream [--binary FILE] [--seconds N] [--replica URL]
  kill       Kills a server under load with SIGKILL at a random moment and starts it on the same folder, N times (50).
             --mails is the least number of mails in total. Exit 1 if a mail that was answered 250 is lost, duplicated
             or damaged, or the database is corrupt.
  webhooks   The same while the server delivers webhooks, N times (20), 100 messages each. Exit 1 if a message that was
             answered 250 never reaches the receiver, or reaches it under two event ids.
  outbound   The same while the server sends email, N times (20), 50 emails each. Exit 1 if an accepted email never
             reaches its recipient's server, or reaches it again after the API has reported it as sent.
  support    The same while a support desk answers mail through the API, N times (20): mail in, webhook, reply with an
             attachment, answer. Exit 1 if a mail, reply, event or bounce is missing, happens twice where the contract
             does not allow it, or a conversation is not one thread.
  storm      These parts, one after the other, for some minutes (with --smoke, seconds). Exit 1 if anything that was
             acknowledged is lost, anything is answered 500, or memory does not recover:
${Object.entries(parts)
  .map(([name, { meaning }]) => `               ${name.padEnd(8)} ${meaning}`)
  .join('\n')}
${powercutUsage}
${soakUsage}
${litestreamUsage}`;

async function kill({ rounds, mails }: { rounds: number; mails: number }): Promise<boolean> {
  const figures = await killRounds(rounds, mails, (round, { acknowledged, lost, doubled, damaged }) => {
    if (round % 5 === 0)
      console.log(
        `round ${round}: ${acknowledged} answered 250, ${lost} lost, ${doubled} doubled, ${damaged} damaged`,
      );
  });
  printFigures(figures);
  const { lost, doubled, damaged, unsound } = figures;
  return lost + doubled + damaged + unsound.length === 0;
}

async function tortureWebhooks(rounds: number): Promise<boolean> {
  const figures = await webhookKillRounds(rounds, rounds * 100, (round, acknowledged, arrived) => {
    if (round % 5 === 0)
      console.log(`kill ${round}: ${acknowledged} answered 250, ${arrived} delivered so far`);
  });
  printFigures(figures);
  const { lost, twoIds, twoMessages } = figures;
  return lost + twoIds + twoMessages === 0;
}

async function runStorm({ names, length }: { names: string[]; length: Length }): Promise<boolean> {
  let isClean = true;
  for (const name of names.length > 0 ? names : Object.keys(parts)) {
    const { figures, faults } = await parts[name]!.run(length);
    console.log(JSON.stringify({ part: name, ...figures, faults }));
    isClean &&= faults.length === 0;
  }
  console.log(isClean ? 'The storm did no damage.' : 'The storm did damage: see the faults above.');
  return isClean;
}

async function tortureOutbound(rounds: number): Promise<boolean> {
  const figures = await outboundKillRounds(rounds, rounds * 50, (round, accepted, arrived) => {
    if (round % 5 === 0) console.log(`kill ${round}: ${accepted} accepted, ${arrived} arrived so far`);
  });
  printFigures(figures);
  const { lost, sentAgain, unsettled } = figures;
  return lost + sentAgain + unsettled === 0;
}

async function tortureSupport(rounds: number): Promise<boolean> {
  const figures = await supportRounds(rounds, rounds * 4, (round, replies) => {
    if (round % 5 === 0) console.log(`kill ${round}: ${replies} replies so far`);
  });
  printFigures(figures);
  return figures.faults.length === 0;
}

function isCount(number: number): boolean {
  return Number.isInteger(number) && number >= 1;
}

function readKillArguments(args: string[]): { rounds: number; mails: number } | null {
  const options = {
    rounds: { type: 'string', default: '50' },
    mails: { type: 'string', default: '0' },
  } as const;
  const { values } = parseArgs({ args, options });
  const [rounds, mails] = [Number(values.rounds), Number(values.mails)];
  return isCount(rounds) && Number.isInteger(mails) ? { rounds, mails } : null;
}

function readRounds(args: string[]): number | null {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '20' } } });
  const rounds = Number(values.rounds);
  return isCount(rounds) ? rounds : null;
}

function readStormArguments(args: string[]): { names: string[]; length: Length } | null {
  const options = { smoke: { type: 'boolean' } } as const;
  const { values, positionals: names } = parseArgs({ args, options, allowPositionals: true });
  return names.every((name) => name in parts) ? { names, length: values.smoke ? 'short' : 'full' } : null;
}

/** What a command line asks for; null if its usage is wrong. */
type Torture = (() => Promise<boolean>) | null;

/** Makes one function of what reads a torture's arguments and what runs it. */
function join<Options>(
  read: (args: string[]) => Options | null,
  run: (options: Options) => Promise<boolean>,
): (args: string[]) => Torture {
  return (args) => {
    const options = read(args);
    return options === null ? null : () => run(options);
  };
}

const tortures: Record<string, (args: string[]) => Torture> = {
  kill: join(readKillArguments, kill),
  webhooks: join(readRounds, tortureWebhooks),
  outbound: join(readRounds, tortureOutbound),
  support: join(readRounds, tortureSupport),
  storm: join(readStormArguments, runStorm),
  powercut: join(readPowercutArguments, powercut),
  soak: join(readSoakArguments, soak),
  litestream: join(readLitestreamArguments, litestream),
};

function readArguments(): Torture {
  const [name = '', ...args] = process.argv.slice(2);
  if (args.includes('--help')) return null;
  try {
    return tortures[name]?.(args) ?? null;
  } catch {
    // parseArgs: an option that there is not. The usage says which there are.
    return null;
  }
}

function printFigures(figures: object): void {
  console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - began) / 1000) }));
}

const wanted = readArguments();
if (!wanted) {
  console.error(usage);
  process.exit(process.argv.includes('--help') ? 0 : 2);
}
const began = performance.now();
process.exit((await wanted()) ? 0 : 1);
