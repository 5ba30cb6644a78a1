/**
 * Runs every check and test. The last line is for programs: `N passed, N failed`, where each check counts as one. With
 * arguments it only runs `bun test` with them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { threads } from './entries.ts';

/** The executable that tests start. It starts in a third of the sources' time, and it is what users run. */
const BUILT = resolve('.tools/tested/postern');
/** The store's threads, bundled as in the executable. A server in a test starts them in half of the sources' time. */
const BUILT_THREADS = resolve('.tools/tested/threads');

/** Run with Bun explicitly: the tools' `#!/usr/bin/env node` fails where Node is not installed. */
const checks: Record<string, string[]> = {
  style: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
  types: ['node_modules/typescript/bin/tsc', '--noEmit'],
  'types of the pages': ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/web'],
  'dead code': ['node_modules/knip/bin/knip.js'],
  'build of the threads': [
    'build',
    ...threads,
    '--target=bun',
    '--format=cjs',
    '--minify',
    '--bytecode',
    `--outdir=${BUILT_THREADS}`,
  ],
  // Executables are built for Linux only.
  ...(process.platform === 'linux' ? { build: ['scripts/build.ts', '--outfile', BUILT] } : {}),
};

/**
 * Test files run in one process more than there are cores, because some mostly wait for a time-out or for another program.
 * Each process loads a module only once: with `--isolate`, which gives each file its own globals, a quarter
 * of the processor time goes into loading modules again. The slowest files run first, so that the processes end together;
 * `scripts/test --update-timings` measures them.
 */
const PARALLEL = [
  `--parallel=${availableParallelism() + 1}`,
  '--no-isolate',
  '--timeout=60000',
  '--timings=test/timings.json',
];
/** For failed files, which run once more, one by one. A file that passes then depends on timing, and is reported. */
const ALONE = ['--timeout=60000'];
/** If more files have failed, the cause is not timing. */
const AGAIN_FILES_MAX = 5;
/**
 * An unsteady file may hide a race. Up to two are tolerated, because a browser or a parser had to share the cores with
 * other tests. More fail the run in CI; on a developer's machine, which may be busy, they are only a warning.
 */
const UNSTEADY_FILES_MAX = process.env.CI ? 2 : AGAIN_FILES_MAX;

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

async function main(given: string[]): Promise<number> {
  const wrong = given.find((arg, at) => isPath(arg, given[at - 1]) && !existsSync(arg));
  if (wrong !== undefined) {
    console.error(
      `There is no ${wrong} in ${process.cwd()}. Give a file or folder relative to it, such as test/platform/mail.`,
    );
    return 2;
  }
  const args = given.map(formatPath);
  const count: Count = { passed: 0, failed: 0, skipped: 0 };
  const dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  const missingTools = join(dir, 'missing-tools');
  // test/peers/tools.ts writes the names of missing tools into this file.
  process.env.MISSING_TOOLS_FILE = missingTools;
  try {
    if (args.length === 0) {
      await runChecks(count);
      console.log('— tests');
    }
    const exitCode = runTests(args, dir, count);
    if (existsSync(missingTools)) printMissing(readFileSync(missingTools, 'utf8'));
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
    return count.failed > 0 ? 1 : exitCode;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Returns whether an argument names a file or folder, and is not a flag or a flag's value (`-t 'a/b'`). */
function isPath(arg: string, before = ''): boolean {
  return !arg.startsWith('-') && !before.startsWith('-') && /^\.?\/?test\/|\.tsx?$/.test(arg);
}

/** Adds `./` to a path. Without it, bun test takes it for a filter, and reports no error unless nothing matches. */
function formatPath(arg: string, at: number, all: string[]): string {
  return isPath(arg, all[at - 1]) && /^\w/.test(arg) ? `./${arg}` : arg;
}

function printMissing(noted: string): void {
  const tools = [...new Set(noted.trim().split('\n'))].sort();
  console.log(
    `— tests were skipped, because these tools are missing:\n${tools.map((tool) => `  ${tool}`).join('\n')}`,
  );
}

/** Runs the checks in parallel, and reports them in order. */
async function runChecks(count: Count): Promise<void> {
  const running = Object.entries(checks).map(([name, command]) => ({ name, ...begin(command) }));
  for (const { name, said, ended } of running) {
    console.log(`— ${name}\n${await said}`.trimEnd());
    const isWell = (await ended) === 0;
    if (isWell) count.passed++;
    else count.failed++;
    if (isWell && name === 'build') process.env.BUILT_POSTERN = BUILT;
    if (isWell && name === 'build of the threads') process.env.BUILT_THREADS = BUILT_THREADS;
  }
}

const environment = () => ({ ...process.env, BUN_BE_BUN: '1' });

function begin(args: string[]): { said: Promise<string>; ended: Promise<number> } {
  const child = Bun.spawn([process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const both = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { said: both.then((texts) => texts.join('')), ended: child.exited };
}

function run(args: string[]): number {
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment(),
  });
  return exitCode ?? 1;
}

/** Runs the tests, adds them to the count, and returns the exit status. A run without tests has failed. */
function runTests(args: string[], dir: string, count: Count): number {
  const first = testOnce([...PARALLEL, ...args], join(dir, 'first.xml'));
  const again = args.length === 0 ? listFilesToRepeat(first) : [];
  const second = again.length > 0 ? repeat(again, join(dir, 'second.xml')) : null;
  const last = second && again.length <= UNSTEADY_FILES_MAX ? second : first;
  const { failed } = last.found;
  count.passed += first.found.passed + first.found.failed - failed;
  count.failed += failed;
  count.skipped += first.found.skipped;
  const { exitCode } = last;
  if (first.found.passed + first.found.failed === 0) {
    console.log('No test ran.');
    count.failed++;
  } else if (exitCode !== 0 && failed === 0) {
    // An error outside of any test, such as a file that does not load, is not in the report.
    count.failed++;
  }
  return exitCode;
}

interface Run {
  exitCode: number;
  found: Count;
  failedFiles: string[];
}

function testOnce(args: string[], report: string): Run {
  const exitCode = run(['test', ...args, '--reporter=junit', `--reporter-outfile=${report}`]);
  return { exitCode, ...readReport(report) };
}

/** Lists the failed files to run again; none if too many have failed, or if they don't explain the exit status. */
function listFilesToRepeat({ exitCode, found, failedFiles }: Run): string[] {
  const isExplained = exitCode !== 0 && found.failed > 0 && failedFiles.length <= AGAIN_FILES_MAX;
  return isExplained ? failedFiles : [];
}

function repeat(files: string[], report: string): Run {
  console.log(`\n— running again, one by one: ${files.join(' ')}`);
  const second = testOnce([...ALONE, ...files], report);
  if (second.exitCode === 0) {
    const verdict = files.length > UNSTEADY_FILES_MAX ? 'fails this run' : 'a warning: look for a race';
    console.log(`UNSTEADY (${verdict}): failed among others, passed alone: ${files.join(' ')}`);
  }
  return second;
}

function readReport(file: string): Pick<Run, 'found' | 'failedFiles'> {
  let report = '';
  try {
    report = readFileSync(file, 'utf8');
  } catch {
    // There is no report: bun test ended before it wrote one.
  }
  const head = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? '';
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  const suites = Array.from(report.matchAll(/<testsuite\b[^>]*>/g), ([suite]) => suite);
  const isFailed = (suite: string) => /\b(?:failures|errors)="[1-9]/.test(suite);
  const named = suites.filter(isFailed).map((suite) => /\bfile="([^"]+)"/.exec(suite)?.[1] ?? '');
  return {
    found: { passed: number('tests') - failed - skipped, failed, skipped },
    failedFiles: [...new Set(named.filter((name) => name !== ''))],
  };
}

process.exit(await main(process.argv.slice(2)));
