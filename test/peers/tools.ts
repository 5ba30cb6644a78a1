/** Programs that tests use if the machine has them. */
import { appendFileSync, readFileSync } from 'node:fs';

/** A line of .ci/tools. */
interface Tool {
  packages: string;
  /** Succeeds where the tool works as needed. */
  probe: string;
}

const PATH = `${process.env.PATH}:/usr/sbin`;
const PROBE_MS_MAX = 20_000;

const tools: ReadonlyMap<string, Tool> = new Map(
  readFileSync(new URL('../../.ci/tools', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      // The command itself may contain bars.
      const [name = '', packages = '', ...probe] = line.split(' | ');
      return [name, { packages, probe: probe.join(' | ') }];
    }),
);

const known = new Map<string, boolean>();

/**
 * Whether a tool of .ci/tools works here. In CI it must, so that no test passes by being skipped. scripts/test lists
 * missing tools at its end. Use: `test.skipIf(!haveTool('swaks'))('…', …)`.
 */
export function haveTool(name: string): boolean {
  const answer = known.get(name) ?? probe(name);
  known.set(name, answer);
  return answer;
}

function probe(name: string): boolean {
  const tool = tools.get(name);
  if (!tool) throw new Error(`${name} is no line of .ci/tools`);
  const { exitCode } = Bun.spawnSync(['sh', '-c', tool.probe], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: PROBE_MS_MAX,
  });
  if (exitCode === 0) return true;
  if (process.env.CI)
    throw new Error(`${name} is missing, and CI leaves no test out: .ci/run must install ${tool.packages}`);
  const missing = `${name}: apt-get install ${tool.packages}`;
  if (process.env.MISSING_TOOLS_FILE) appendFileSync(process.env.MISSING_TOOLS_FILE, `${missing}\n`);
  console.warn(`the tests with it are left out; ${missing}`);
  return false;
}

export interface ToolResult {
  exitCode: number;
  output: string;
}

/** Runs a program to completion; kills it after `timeoutMs`. `output` is stdout, then stderr. */
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
