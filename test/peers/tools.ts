/** Programs that tests use where they are installed. */
import { appendFileSync, readFileSync } from 'node:fs';

/** A line of .ci/tools. */
interface Tool {
  packages: string;
  /** A shell command that succeeds if the tool can do what tests need. */
  probe: string;
}

const PATH = `${process.env.PATH}:/usr/sbin`;
const PROBE_MS_MAX = 20_000;

const tools: ReadonlyMap<string, Tool> = new Map(
  readFileSync(new URL('../../.ci/tools', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      // The probe itself may contain bars.
      const [name = '', packages = '', ...probe] = line.split(' | ');
      return [name, { packages, probe: probe.join(' | ') }];
    }),
);

const known = new Map<string, boolean>();

/**
 * Returns whether a tool in .ci/tools works here: `test.skipIf(!haveTool('swaks'))('…', …)`. Throws in CI if it does not, so
 * that no test passes there by being skipped. scripts/test lists the missing tools at its end.
 */
export function haveTool(name: string): boolean {
  const answer = known.get(name) ?? probe(name);
  known.set(name, answer);
  return answer;
}

function probe(name: string): boolean {
  const tool = tools.get(name);
  if (!tool) throw new Error(`.ci/tools has no line for ${name}`);
  const { exitCode } = Bun.spawnSync(['sh', '-c', tool.probe], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: PROBE_MS_MAX,
  });
  if (exitCode === 0) return true;
  if (process.env.CI)
    throw new Error(`${name} is missing, and CI skips no test: .ci/run must install ${tool.packages}`);
  const missing = `${name}: apt-get install ${tool.packages}`;
  if (process.env.MISSING_TOOLS_FILE) appendFileSync(process.env.MISSING_TOOLS_FILE, `${missing}\n`);
  console.warn(`tests that need it are skipped; ${missing}`);
  return false;
}

export interface ToolResult {
  exitCode: number;
  output: string;
}

/** Runs a program until it ends, or kills it after `timeoutMs`. `output` is stdout, then stderr. */
export async function runTool(
  command: string[],
  input: Uint8Array | string = '',
  timeoutMs = 15_000,
): Promise<ToolResult> {
  const child = Bun.spawn(command, {
    stdin: Buffer.from(input as Uint8Array),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeoutMs,
    env: { ...process.env, PATH },
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, output: out + err };
}
