/** Measures where the time of one mail goes, from its last byte to its 250, with one session and nothing else to do. */
import { join } from 'node:path';
import { makeHeapEnv, WITHOUT_LAST_COMPILER } from '../../src/platform/core/heap-bound.ts';
import { median, type Report, shown } from './figures.ts';
import { flood, stop } from './processes.ts';
import { makeDataDir, removeDataDir } from './targets.ts';
import { FLUSHED_AFTER_MS, readStamps } from './trace/stamps.ts';

/** The bound that the server's own start sets (src/app/start-bounded.ts). */
const HEAP_BYTES = 512 * 1024 * 1024;
const BAR_CHARS_MAX = 40;
const WARM_UP_S = 4;

/** The name of each hop: the time from one event of a mail to the next, in the order of `joinTimes`. */
const hops = [
  'socket → main, which has the body',
  'main → parser process',
  'parser: mail, code, link, zstd',
  'parser process → main',
  'main: the writer’s input',
  'main → writer',
  'writer: the statements',
  'writer: COMMIT',
  'writer → main',
  'main → socket: the 250',
];

export async function benchTrace(report: Report, smoke: boolean): Promise<void> {
  const seconds = smoke ? 1 : 5;
  report.section('One 5 KB mail on one session: median time of each hop, last byte to 250');
  printHops(report, await traceMails('durable', seconds), 600);
  report.section('The same with a store that is thrown away: COMMIT without an fsync');
  printHops(report, await traceMails('thrown-away', seconds), 300);
}

function printHops(report: Report, mails: readonly number[][], goalUs: number): void {
  const medians = hops.map((_, at) => median(mails.map((times) => times[at + 1]! - times[at]!)));
  const longest = Math.max(...medians);
  for (const [at, us] of medians.entries()) {
    const bar = '█'.repeat(Math.max(1, Math.round((us / longest) * BAR_CHARS_MAX)));
    report.line(hops[at]!, `${shown(us)} µs`, bar.padEnd(BAR_CHARS_MAX));
  }
  const whole = median(mails.map((times) => times.at(-1)! - times[0]!));
  report.goal(`all of it (${mails.length.toLocaleString('en-US')} mails)`, whole, 'µs', { under: goalUs });
}

/** Returns the times of each mail after the warm-up, in microseconds. */
async function traceMails(kind: 'durable' | 'thrown-away', seconds: number): Promise<number[][]> {
  const dataDir = makeDataDir();
  const program = join(import.meta.dir, 'trace/traced-server.ts');
  const server = Bun.spawn([process.execPath, program, dataDir, kind], {
    env: { ...process.env, ...makeHeapEnv(HEAP_BYTES), ...WITHOUT_LAST_COMPILER },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const { value } = await server.stdout.getReader().read();
    const { port, address } = JSON.parse(new TextDecoder().decode(value)) as {
      port: number;
      address: string;
    };
    const { accepted, counted, bodiesUs } = await flood({
      port,
      recipient: address,
      mail: 'plain5k',
      connections: 1,
      reuse: true,
      pipelining: false,
      messages: 1_000_000,
      seconds,
      warmUpS: Math.min(WARM_UP_S, seconds),
      keepsTimes: true,
    });
    await Bun.sleep(FLUSHED_AFTER_MS);
    const mails = joinTimes(dataDir, bodiesUs);
    if (mails.length !== accepted) throw new Error(`${accepted} mails were accepted, ${mails.length} traced`);
    return mails.slice(-counted);
  } finally {
    await stop(server);
    removeDataDir(dataDir);
  }
}

/** Joins the files by row: one session sends one mail after another, so the first row of each is the first mail's. */
function joinTimes(dataDir: string, bodiesUs: readonly number[][]): number[][] {
  const read = (part: string, times: number) => readStamps(join(dataDir, `${part}.stamps`), times);
  const [main, parser, writer] = [read('main', 4), read('parser', 2), read('writer', 3)];
  const counts = [bodiesUs, main, parser, writer].map(({ length }) => length);
  if (new Set(counts).size > 1) throw new Error(`client, main, parser and writer traced ${counts} mails`);
  return bodiesUs.map(([sentUs, repliedUs], at) => {
    const [parseUs, parsedUs, storeUs, storedUs] = main[at]!;
    return [sentUs!, parseUs!, ...parser[at]!, parsedUs!, storeUs!, ...writer[at]!, storedUs!, repliedUs!];
  });
}
