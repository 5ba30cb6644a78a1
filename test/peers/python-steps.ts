/** Runs a program that prints its steps as lines of JSON. Calls `onStep` for each, and returns them merged into one object. */
export async function runSteps(
  command: string[],
  env: Record<string, string | undefined>,
  onStep: (step: Record<string, unknown>) => Promise<void>,
): Promise<Record<string, unknown>> {
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe', timeout: 60_000 });
  const faults = child.stderr.text();
  const result: Record<string, unknown> = {};
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of child.stdout) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const step of lines.map((line) => JSON.parse(line) as Record<string, unknown>)) {
      Object.assign(result, step);
      await onStep(step);
    }
  }
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${await faults}`);
  return result;
}
