/**
 * Every check and test, and a last line that a machine can read: `N passed, N failed`, where each check counts
 * as one. With arguments only `bun test` runs, with those arguments.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Run by Bun's own path: on a machine without Node the tools' first line (`env node`) would fail. */
const checks: Record<string, string[]> = {
  style: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
  types: ['node_modules/typescript/bin/tsc', '--noEmit'],
  'types of the pages': ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/dashboard/web'],
  'dead code': ['node_modules/knip/bin/knip.js'],
};

/**
 * Files run in two processes (as many as the smallest machine has cores), each file with globals of its own:
 * shared ones made tests fail that are right by themselves.
 */
const TEST = ['test', '--parallel=2', '--timeout=20000'];

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

function main(args: string[]): number {
  const count: Count = { passed: 0, failed: 0, skipped: 0 };
  if (args.length === 0) {
    for (const [name, command] of Object.entries(checks)) {
      console.log(`— ${name}`);
      if (run(command) === 0) count.passed++;
      else count.failed++;
    }
    console.log('— tests');
  }
  const exit_code = runTests(args, count);
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
  return count.failed > 0 ? 1 : exit_code;
}

function run(args: string[]): number {
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, BUN_BE_BUN: '1' },
  });
  return exitCode ?? 1;
}

/** Adds the tests to the count. A run that executed none has failed. */
function runTests(args: string[], count: Count): number {
  const dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  try {
    const report = join(dir, 'report.xml');
    const exit_code = run([...TEST, '--reporter=junit', `--reporter-outfile=${report}`, ...args]);
    const found = readReport(report);
    count.passed += found.passed;
    count.failed += found.failed;
    count.skipped += found.skipped;
    if (found.passed + found.failed === 0) {
      console.log('No test ran.');
      count.failed++;
    }
    // An error outside of any test (a file that does not load) is in no report.
    if (exit_code !== 0 && found.failed === 0) count.failed++;
    return exit_code;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function readReport(file: string): Count {
  let head = '';
  try {
    head = /<testsuites\b[^>]*>/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  } catch {
    // No report: bun test ended before it wrote one.
  }
  const number = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  return { passed: number('tests') - failed - skipped, failed, skipped };
}

process.exit(main(process.argv.slice(2)));
