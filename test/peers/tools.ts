/** Programs that tests use when the machine has them. */

/**
 * Whether a program is there. In CI it must be: a test may not pass there by being left out.
 * Use: `test.skipIf(!haveTool('swaks'))('…', …)`.
 */
export function haveTool(name: string): boolean {
  if (Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` })) return true;
  if (process.env.CI)
    throw new Error(`${name} is missing, and CI leaves no test out: .ci/run must install it`);
  console.warn(`${name} is not installed: the tests with it are left out`);
  return false;
}

export interface ToolResult {
  exit_code: number;
  output: string;
}

/** Runs a program to its end; it is killed after `timeout_ms`. `output` is stdout, then stderr. */
export async function runTool(
  command: string[],
  input: Uint8Array | string = '',
  timeout_ms = 15_000,
): Promise<ToolResult> {
  const child = Bun.spawn(command, {
    stdin: Buffer.from(input as Uint8Array),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeout_ms,
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exit_code: await child.exited, output: out + err };
}
