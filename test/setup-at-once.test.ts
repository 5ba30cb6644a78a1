/** Runs the set-up of a fresh clone twice at the same time, with stand-ins for npm and Bun. */
import { afterAll, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const clone = mkdtempSync(join(tmpdir(), 'postern-clone-'));
afterAll(() => rmSync(clone, { recursive: true }));
const at = (name: string) => join(clone, name);

/** Writes a program that fails while another one runs in the clone, as npm and Bun may. */
function writeStandIn(path: string, work: string): void {
  const alone = `mkdir '${at('busy')}' || exit 1\nsleep 0.3\n${work}\nrmdir '${at('busy')}'\n`;
  writeFileSync(
    path,
    `#!/bin/sh\n[ "$1" != --version ] || exec echo 1.2.3\necho "$(basename "$0")" >>'${at('ran')}'\n${alone}`,
  );
  chmodSync(path, 0o755);
}

test.skipIf(!Bun.which('flock'))(
  'the second of two set-ups at the same time waits for the first',
  async () => {
    for (const folder of ['path', 'path/later']) mkdirSync(at(folder));
    copyFileSync(join(import.meta.dir, '../scripts/setup'), at('setup'));
    writeFileSync(at('package.json'), '{"packageManager": "bun@1.2.3"}');
    writeFileSync(at('bun.lock'), '');
    writeStandIn(at('path/later/bun'), 'mkdir node_modules');
    writeStandIn(
      at('path/npm'),
      `for name in "$@"; do :; done; folder=.tools/node_modules/\${name%@*}/bin; mkdir -p "$folder" && cp '${at('path/later/bun')}' "$folder"`,
    );
    // Hides any Bun of this machine.
    writeFileSync(at('path/bun'), '#!/bin/sh\n', { mode: 0o755 });
    const setUp = () =>
      Bun.spawn(['sh', '-c', '. ./setup && echo "$BUN"'], {
        cwd: clone,
        env: { PATH: `${at('path')}:/usr/local/bin:/usr/bin:/bin` },
        stdout: 'pipe',
      });
    const both = [setUp(), setUp()];
    const found = await Promise.all(both.map(({ stdout }) => new Response(stdout).text()));
    expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0]);
    for (const path of found)
      expect(path).toMatch(/\/\.tools\/node_modules\/@oven\/bun-[a-z0-9-]+\/bin\/bun\n$/);
    expect(readFileSync(at('ran'), 'utf8')).toBe('npm\nbun\n');
  },
);
