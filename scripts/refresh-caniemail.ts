/**
 * Generates src/platform/mail/checks/caniemail.json from the data of caniemail.com (MIT, Copyright (c) 2019
 * HTeuMeuLeu). To update it, run this, read its output, and commit:
 *
 *     scripts/refresh-caniemail            from the latest npm package `caniemail`
 *     scripts/refresh-caniemail 2.0.2      from that version of it
 *     scripts/refresh-caniemail data.json  from a copy of https://www.caniemail.com/api/data.json
 *
 * The package is installed in a temporary folder, because only its data is needed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OUT = new URL('../src/platform/mail/checks/caniemail.json', import.meta.url).pathname;

/** Support by version: `y`, `n`, `u` (unknown) or `a` (partial), which the number of a note may follow: `a #2`. */
type Versions = Record<string, string>;

interface Published {
  last_update_date: string;
  nicenames: { family: Record<string, string>; platform: Record<string, string> };
  data: {
    slug: string;
    title: string;
    url: string;
    category: string;
    stats: Record<string, Record<string, Versions>>;
  }[];
}

const argument = process.argv[2];
const { source, text } = argument?.endsWith('.json')
  ? { source: 'caniemail.com', text: await Bun.file(argument).text() }
  : await downloadPackage(argument ?? 'latest');
const published = JSON.parse(text) as Published;
const clients = listClients(published);
const features = published.data
  .filter(({ category }) => category !== 'others')
  .map(({ slug, title, stats }) => {
    const marks = clients.map(({ family, platform }) => readMark(stats[family]?.[platform] ?? {}));
    return `${slug}|${title.trim()}|${marks.join('')}`;
  })
  .sort();
const table = {
  date: published.last_update_date.slice(0, 10),
  source,
  clients: clients.map(({ name }) => name),
  features,
};
const before = (await Bun.file(OUT).exists()) ? await Bun.file(OUT).json() : { features: [] };
await Bun.write(OUT, `${JSON.stringify(table, null, 2)}\n`);
console.log(`${features.length} features, ${clients.length} clients, of ${table.date}, from ${source}`);
report('new', table.features, before.features);
report('removed', before.features, table.features);

async function downloadPackage(version: string): Promise<{ source: string; text: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'caniemail-'));
  try {
    await Bun.write(join(folder, 'package.json'), '{}');
    const added = Bun.spawnSync([process.execPath, 'add', '--ignore-scripts', `caniemail@${version}`], {
      cwd: folder,
      env: { ...process.env, BUN_BE_BUN: '1' },
    });
    if (!added.success) throw new Error(added.stderr.toString());
    const root = join(folder, 'node_modules/caniemail');
    const { version: installed } = await Bun.file(join(root, 'package.json')).json();
    return {
      source: `caniemail ${installed}`,
      text: await Bun.file(join(root, 'data/caniemail.json')).text(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lists the clients. A client is a family on a platform: Gmail on Android is one, Gmail on iOS another. */
function listClients({ data, nicenames }: Published) {
  const found = new Map<string, { family: string; platform: string; name: string }>();
  for (const { stats } of data) {
    for (const [family, platforms] of Object.entries(stats)) {
      for (const platform of Object.keys(platforms)) {
        const name = `${nicenames.family[family] ?? family} (${nicenames.platform[platform] ?? platform})`;
        found.set(name, { family, platform, name });
      }
    }
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns `y`, `a` or `n` for the newest version that was tested; `-` if none was. */
function readMark(versions: Versions): string {
  const newest = Object.keys(versions).sort(compareVersions).at(-1);
  const mark = newest === undefined ? '-' : versions[newest]!.charAt(0);
  return 'yan'.includes(mark) ? mark : '-';
}

/**
 * Orders versions: `2019-10` before `2021-03`, `12.4` before `13.1`. If a client has both kinds, those by date come before
 * `16.80` and after `12.4`.
 */
function compareVersions(one: string, other: string): number {
  const left = one.split(/\D+/).map(Number);
  const right = other.split(/\D+/).map(Number);
  const isDate = ([first = 0]: number[]) => first > 2000;
  if (isDate(left) && !isDate(right)) return right[0]! < 16 ? 1 : -1;
  if (isDate(right) && !isDate(left)) return left[0]! < 16 ? -1 : 1;
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? -1) - (right[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function report(what: string, some: string[], others: string[]): void {
  const slug = (row: string) => row.split('|')[0]!;
  const known = new Set(others.map(slug));
  const rows = some.map(slug).filter((one) => !known.has(one));
  if (rows.length > 0) console.log(`${what}: ${rows.length > 20 ? rows.length : rows.join(' ')}`);
}
