/** Bundles a program that a test starts many times: from its sources each start would take twice the processor time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';

interface Bundle {
  /** The file to run. */
  path: string;
  [Symbol.dispose](): void;
}

/** The program must not have a top-level `await`, which bytecode does not allow. */
export async function bundleProgram(source: string): Promise<Bundle> {
  // Without the built threads it needs its own, which are found beside the sources.
  if (!process.env.BUILT_THREADS) return { path: source, [Symbol.dispose]: () => {} };
  const outdir = mkdtempSync(join(tmpdir(), 'postern-bundle-'));
  const options = { target: 'bun', format: 'cjs', bytecode: true, minify: true } as const;
  await Bun.build({ entrypoints: [source], outdir, ...options });
  return {
    path: join(outdir, `${parse(source).name}.js`),
    [Symbol.dispose]: () => rmSync(outdir, { recursive: true }),
  };
}
