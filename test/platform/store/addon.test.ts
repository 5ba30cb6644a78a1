/** The message if SQLite's library can't be loaded. */
import { expect, test } from 'bun:test';
import { explainAddonFaults } from '../../../src/platform/store/addon.ts';

test.each([
  ['libstdc++.so.6: cannot open shared object file: No such file or directory', 'apk add libstdc++'],
  [
    'Error loading shared library libstdc++.so.6: No such file or directory (needed by /data/run/sqlite.node)',
    'apk add libstdc++',
  ],
  ['Error loading shared library libgcc_s.so.1: No such file or directory', 'apk add libstdc++'],
  ['Error: EFBIG: file too large, write', 'ulimit -f'],
  ['Error: ENOSPC: no space left on device, write', 'Free space'],
  ['/data/run/sqlite.node: failed to map segment from shared object', 'not mounted noexec'],
])('a module that fails with %p says what helps', (fault, remedy) => {
  const said = explainAddonFaults(['memfd_create failed', fault]);
  expect(said).toContain(remedy);
  expect(said).toContain(fault);
});
