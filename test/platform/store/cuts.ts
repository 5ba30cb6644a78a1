/** Cuts the power at each step of the work that the first argument names, and prints what the next start finds. */
import { dirname, join } from 'node:path';
import { PowerCutDisk, real } from '../../peers/power-cut.ts';

const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } = real;
const [what, dir = '', backup = ''] = process.argv.slice(2);
const root = join(dir, 'cuts');
const disk = new PowerCutDisk(root, join(dir, 'grave'));
const { openFile } = await import('../../../src/platform/store/database.ts');
const { openDataFolder } = await import('../../../src/doors/operator/data-folder.ts');
const { openBackup, restoreBackup } = await import('../../../src/platform/store/restore.ts');
const { loadCertificate } = await import('../../../src/platform/net/certificate.ts');
const { openWriter } = await import('../../../src/platform/store/database.ts');
const { migrate, SCHEMA_VERSION } = await import('../../../src/platform/store/migrate.ts');

const data = join(root, 'data');
const readHex = (file: string) => (existsSync(file) ? readFileSync(file).toString('hex') : null);

/** Identifies the store and key of a folder. */
function look(folder: string) {
  const database = openFile(join(folder, 'postern.db'));
  const email = database.prepare('SELECT email FROM user').pluck().get();
  const isSound = database.pragma('integrity_check', { simple: true }) === 'ok';
  database.close();
  return { email, isSound, key: readHex(join(folder, 'server.key')) };
}

const kinds: Record<string, { prepare(): void; work(): unknown; found(): Promise<object> }> = {
  restore: {
    prepare: () => cpSync(join(dir, 'old'), data, { recursive: true }),
    work() {
      restoreBackup(openBackup(backup), data, 0);
    },
    async found() {
      const folder = await openDataFolder(data);
      folder?.release();
      const names = readdirSync(data).filter((name) => /^(restor|replaced)/.test(name));
      const kept = names.find((name) => name.startsWith('replaced-'));
      return { ...look(data), kept: kept ? look(join(data, kept)) : null, names: names.length };
    },
  },
  certificate: {
    prepare: () => mkdirSync(data),
    work: () => loadCertificate({ cert: null, key: null }, data, 'mx.example.org'),
    async found() {
      const damage: string[] = [];
      const created = readHex(join(data, 'tls/self-signed.key'));
      await loadCertificate({ cert: null, key: null }, data, 'mx.example.org', (why) => damage.push(why));
      return { damage, isKept: created !== null && created === readHex(join(data, 'tls/self-signed.key')) };
    },
  },
  'first start': {
    prepare: () => {},
    async work() {
      const folder = await openDataFolder(join(data, 'deep'));
      folder?.release();
      const database = openWriter(join(data, 'deep/postern.db'));
      migrate(database);
      database.close();
    },
    async found() {
      const at = join(data, 'deep');
      const was = { key: readHex(join(at, 'server.key')), store: existsSync(join(at, 'postern.db')) };
      // Bytes 18 and 19 are the versions of the format for writing and reading; 2 is WAL
      // (sqlite.org/fileformat2.html, 1.3).
      const isWal =
        was.store &&
        readFileSync(join(at, 'postern.db'))
          .subarray(18, 20)
          .equals(Buffer.from([2, 2]));
      const folder = await openDataFolder(at);
      folder?.release();
      const database = openWriter(join(at, 'postern.db'));
      migrate(database);
      const schema = database.pragma('user_version', { simple: true });
      const vacuum = database.pragma('auto_vacuum', { simple: true });
      database.close();
      return {
        hadKey: was.key !== null,
        hadStore: was.store,
        isWal,
        isSameKey: was.key === null || was.key === readHex(join(at, 'server.key')),
        isWhole: schema === SCHEMA_VERSION && vacuum === 2,
      };
    },
  },
};

const kind = kinds[what!]!;
for (const keepsUnflushed of [true, false]) {
  for (let step = 0, wasCut = true; wasCut; step++) {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(dirname(data), { recursive: true });
    kind.prepare();
    wasCut = await disk.cut(step, keepsUnflushed, kind.work);
    console.log(JSON.stringify({ step, keepsUnflushed, wasCut, ...(await kind.found()) }));
  }
}
