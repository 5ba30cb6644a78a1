/** Measures speed and memory, compared with other servers. Every load is bounded in time and uses only loopback. */
import { benchBackup } from './measure/backup.ts';
import { benchBuilds } from './measure/builds.ts';
import { benchDashboard } from './measure/dashboard.ts';
import { benchExtraction } from './measure/extraction.ts';
import { benchHostile } from './measure/extraction-hostile.ts';
import { benchFaults } from './measure/faults.ts';
import { Report } from './measure/figures.ts';
import { benchFirstMails } from './measure/first-mails.ts';
import { benchIngest } from './measure/ingest.ts';
import { benchLatency } from './measure/latency.ts';
import { benchListened } from './measure/listened.ts';
import { benchMcp } from './measure/mcp.ts';
import { benchMemory } from './measure/memory.ts';
import { benchOutbound } from './measure/outbound.ts';
import { benchPlots } from './measure/plots.ts';
import { benchRetention } from './measure/retention.ts';
import { benchSearch } from './measure/search.ts';
import { benchSmtpSource } from './measure/smtp-source.ts';
import { benchStart } from './measure/start.ts';
import { benchThreads } from './measure/threads.ts';
import { benchTrace } from './measure/trace.ts';
import { benchVerify } from './measure/verify.ts';
import { benchWaits } from './measure/waits.ts';
import { benchWebhooks } from './measure/webhooks.ts';

const benches: Record<string, (report: Report, smoke: boolean) => Promise<void>> = {
  start: benchStart,
  first: benchFirstMails,
  latency: benchLatency,
  ingest: benchIngest,
  'smtp-source': benchSmtpSource,
  builds: benchBuilds,
  listened: benchListened,
  trace: benchTrace,
  plots: benchPlots,
  memory: benchMemory,
  search: benchSearch,
  threads: benchThreads,
  backup: benchBackup,
  retention: benchRetention,
  webhooks: benchWebhooks,
  outbound: benchOutbound,
  waits: benchWaits,
  mcp: benchMcp,
  extraction: benchExtraction,
  verify: benchVerify,
  dashboard: benchDashboard,
  faults: benchFaults,
};

const usage = `usage: scripts/bench [--smoke] [--strict] [${Object.keys(benches).join(' | ')}]…
  --smoke    run each for a second or two, to check that it works; the figures mean nothing
  --strict   exit 1 if a goal of the project is missed
  --hostile  with extraction: measure 500 crafted mails instead
  BENCH_ROUNDS=2 limits the rounds of ingest. BENCH_MESSAGES sets the size of the inbox in search and threads.
  BUILT_POSTERN=FILE is measured instead of dist/postern, which is built otherwise.
  BENCH_BEFORE=FILE is an earlier dist/postern, which builds and dashboard measure by turns with this one.`;

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('--'));
const names = args.filter((arg) => !arg.startsWith('--'));
const wrong = [
  ...flags.filter((flag) => !['--smoke', '--strict', '--hostile'].includes(flag)),
  ...names.filter((name) => !benches[name]),
];
if (wrong.length > 0) {
  console.error(`${flags.includes('--help') ? '' : `unknown: ${wrong.join(' ')}\n`}${usage}`);
  process.exit(flags.includes('--help') ? 0 : 2);
}

if (flags.includes('--hostile')) benches.extraction = benchHostile;
const smoke = flags.includes('--smoke');
const report = new Report(!smoke);
for (const name of names.length > 0 ? names : Object.keys(benches)) await benches[name]!(report, smoke);
const allMet = report.end();
process.exit(flags.includes('--strict') && !allMet ? 1 : 0);
