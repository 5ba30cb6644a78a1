/** The Debian package's upgrade script, with folders of its own and stand-ins for the machine's commands. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = readFileSync(join(import.meta.dir, '../packaging/debian/postinst'), 'utf8');
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'postern-deb-'));
  for (const folder of ['bin', 'var/lib/postern', 'run/systemd/system'])
    mkdirSync(join(root, folder), { recursive: true });
  const command = (name: string, text: string) => {
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(root, 'bin', name), 0o755);
  };
  for (const name of ['adduser', 'chgrp', 'deb-systemd-helper', 'systemctl']) command(name, 'exit 0');
  command('dpkg-query', 'echo "$VERSION"');
  command('install', 'for folder; do :; done; mkdir -p "$folder"');
  command('postern', `[ "$1" = backup ] && cp "$4/postern.db" "$2"`);
  // A start migrates the store, and fails while the file is there.
  command(
    'deb-systemd-invoke',
    `echo migrated >"${root}/var/lib/postern/postern.db"; [ ! -e "${root}/broken" ]`,
  );
  writeFileSync(
    join(root, 'bin/postinst'),
    script.replace(/\/(?:var|etc|run)\//g, (path) => root + path),
  );
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Configures a version where another one was configured before. */
function configure(version = '2.0.0', previous = '1.0.0') {
  const env = { PATH: `${root}/bin:/usr/bin:/bin`, VERSION: version };
  const done = Bun.spawnSync(['sh', join(root, 'bin/postinst'), 'configure', previous], { env });
  return { ok: done.exitCode === 0, said: done.stderr.toString() };
}

const store = (text: string) => writeFileSync(join(root, 'var/lib/postern/postern.db'), text);
const backups = () => join(root, 'var/backups/postern');
const read = (name: string) => readFileSync(join(backups(), name), 'utf8').trim();

test('an upgrade leaves a backup of the store as it was', () => {
  store('old');
  expect(configure().ok).toBe(true);
  expect(read('before-upgrade.db')).toBe('old');
  expect(existsSync(join(backups(), 'before-upgrade.unproven'))).toBe(false);
});

test('a second try of a version that does not start keeps the backup that the previous version can open', () => {
  store('old');
  writeFileSync(join(root, 'broken'), '');
  for (let attempt = 0; attempt < 3; attempt++) {
    const { ok, said } = configure();
    expect(ok).toBe(false);
    expect(said).toContain('before-upgrade.db');
    expect(read('before-upgrade.db')).toBe('old');
  }
});

test('when the new version starts at last, only the latest backup is kept', () => {
  store('old');
  writeFileSync(join(root, 'broken'), '');
  configure();
  rmSync(join(root, 'broken'));
  expect(configure().ok).toBe(true);
  expect(read('before-upgrade.db')).toBe('migrated');
  store('later');
  expect(configure().ok).toBe(true);
  expect(read('before-upgrade.db')).toBe('later');
});

test.skipIf(!Bun.which('dpkg'))(
  'an older version keeps the backup from before the upgrade, which it can open',
  () => {
    store('old');
    configure();
    writeFileSync(join(root, 'broken'), '');
    const { ok, said } = configure('1.0.0', '2.0.0');
    expect([ok, read('before-upgrade.db'), read('before-downgrade.db')]).toEqual([false, 'old', 'migrated']);
    expect(said).toContain('before-upgrade.db --data-dir');
    store('old');
    rmSync(join(root, 'broken'));
    expect(configure('1.0.0', '2.0.0').ok).toBe(true);
    expect(read('before-upgrade.db')).toBe('old');
  },
);
