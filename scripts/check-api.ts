/**
 * Tests a running server against its OpenAPI document with Schemathesis: all of its checks, with valid and invalid
 * requests, and chains of requests along the links. `scripts/check-api [SECONDS] [SEED]`. It fails for a finding that is
 * not in `accepted` (scripts/clients/findings.ts), and for a response that test/conformance.ts finds wrong.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sender, sending } from '../test/features/outbound/sender.ts';
import { type RunningAppliance, startAppliance } from '../test/start.ts';
import { findAcceptance, readFindings } from './clients/findings.ts';
import { installPythonTool, run } from './clients/tools.ts';

const [seconds = '60', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
/** Few routes exist only in a trap, so that it is tested for a shorter time. */
const TRAP_SECONDS = 10;
const MESSAGES = 60;

interface Plan {
  name: string;
  url: string;
  apiKey: string;
  seconds: number;
  /** More arguments, which select operations. */
  filter: readonly string[];
}

/** A wait takes as long as its `timeout`. A stream takes 25 s, so only this project's own tests cover it. */
const config = ['waitForMessage', 'waitForAnyMessage']
  .map((name) => `[[operations]]\ninclude-operation-id = "${name}"\nparameters = { "query.timeout" = 1 }\n`)
  .join('');
const streams = ['streamMessages', 'streamAllMessages'].flatMap((name) => ['--exclude-operation-id', name]);

/** Runs Schemathesis. Returns the findings that no row of `accepted` explains. */
async function attack(tool: string, { name, url, apiKey, filter, ...plan }: Plan): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-check-'));
  try {
    writeFileSync(join(folder, 'config.toml'), config);
    const report = join(folder, 'report.ndjson');
    const { exitCode, output } = await run(
      [
        tool,
        '--config-file',
        join(folder, 'config.toml'),
        'run',
        `${url}/api/v1/openapi.json`,
        '-H',
        `Authorization: Bearer ${apiKey}`,
        '--max-time',
        String(plan.seconds),
        '--seed',
        seed,
        '--continue-on-failure',
        '--request-timeout',
        '30',
        ...streams,
        ...filter,
        '--report',
        'ndjson',
        '--report-ndjson-path',
        report,
        '--output-truncate',
        'false',
      ],
      { cwd: folder, timeoutMs: (plan.seconds + 120) * 1000 },
    );
    // Exit status 1 means that there are findings.
    if (exitCode > 1) return [`schemathesis ended with ${exitCode}\n${output.slice(-3000)}`];
    const findings = readFindings(readFileSync(report, 'utf8'));
    const open = findings.filter((finding) => !findAcceptance(finding));
    const cases = /(\d+) generated/.exec(output)?.[1];
    console.log(`${name}: ${cases} requests, ${findings.length - open.length} accepted findings`);
    return open.map(
      ({ check, operation, status, code, fields, message, request }) =>
        `${name}: ${check} of ${operation}: ${status} ${code} ${fields.join()}\n  ${message}\n  ${request.slice(0, 600)}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Stores messages with a code, a link and an attachment in an inbox that may answer them. */
async function fill(appliance: RunningAppliance, address: string): Promise<void> {
  const raw = readFileSync(join(import.meta.dir, 'clients/sample.eml'), 'utf8').replaceAll('\n', '\r\n');
  for (let count = 0; count < MESSAGES; count++) {
    await appliance.deliver(address, {
      raw,
      otp: '493817',
      otp_confidence: 0.99,
      content: {
        answer_to: ['Ann <ann@example.org>'],
        attachments: [
          {
            index: 0,
            filename: 'a.txt',
            content_type: 'text/plain',
            size: 5,
            content_id: null,
            inline: false,
          },
        ],
      },
    });
  }
}

async function attackServer(tool: string): Promise<string[]> {
  await using appliance = await startAppliance({ settings: { ...sending, metrics: 'on' } });
  const { owner, inbox } = await Sender.join(appliance);
  await fill(appliance, inbox.address);
  const filter = ['--exclude-tag', 'SMTP faults'];
  const { url } = appliance;
  return await attack(tool, { name: 'server', url, apiKey: owner.key, seconds: Number(seconds), filter });
}

async function attackTrap(tool: string): Promise<string[]> {
  await using trap = await startAppliance({ capture: {}, settings: { limits: 'off', capture_open: 'off' } });
  const filter = ['--include-tag', 'SMTP faults'];
  const { url, apiKey = '' } = trap;
  return await attack(tool, { name: 'trap', url, apiKey, seconds: TRAP_SECONDS, filter });
}

const tool = await installPythonTool('schemathesis');
console.log(`seed ${seed}, ${seconds} s`);
const open = [...(await attackServer(tool)), ...(await attackTrap(tool))];
for (const finding of open) console.error(finding);
process.exit(open.length > 0 ? 1 : 0);
