/**
 * Runs the cases of the contract with the client, as in a user's program: under Node, Bun or Deno, with the package that is
 * installed there. Prints a line of JSON for each case. The argument is the folder with the cases.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type ClientModule, runCase } from './cases.ts';

const AT_ONCE = 16;

const folder = process.argv[2] ?? '';
const servers = JSON.parse(process.env.POSTERN_CONTRACT_SERVERS ?? '{}');
const packageName = '@postern/client';
const module = (await import(packageName)) as ClientModule;

const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const { title, cases } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return (cases as Case[]).map((one) => ({ ...one, group: title as string }));
  });

// A Free account has few slots, so only one case at a time uses them.
const free = cases.filter(({ server }) => server === 'free');
const others = cases.filter(({ server }) => server !== 'free');
const runFrom = async (queue: typeof cases) => {
  for (let one = queue.shift(); one; one = queue.shift()) {
    const { group, title } = one;
    const startMs = performance.now();
    const fault = await runCase(module, servers, one).then(
      () => null,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    const ms = Math.round(performance.now() - startMs);
    process.stdout.write(`${JSON.stringify({ group, title, fault, ms })}\n`);
  }
};
await Promise.all([runFrom(free), ...Array.from({ length: AT_ONCE }, () => runFrom(others))]);
