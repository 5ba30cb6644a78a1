import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { chooseCoding } from '../../platform/http/accept.ts';

/*
 * The pages as scripts/pages.ts built them, in one file. It is inside the executable; a server that runs from the
 * sources keeps it in .tools/ and rebuilds it whenever a source has changed.
 */

/** A file in both compressions, base64. */
export interface BuiltFile {
  name: string;
  type: string;
  gzip: string;
  brotli: string;
}

export interface BuiltPages {
  /** The document; `%BASE%` in it is replaced by the base path. */
  index: string;
  assets: BuiltFile[];
}

/** A file ready to be served. */
export interface PageFile {
  type: string;
  gzip: Uint8Array;
  brotli: Uint8Array;
}

interface Pages {
  /** The document of a server with this base path. */
  openIndex(base: string): PageFile;
  /** By name. */
  assets: ReadonlyMap<string, PageFile>;
}

let loading: Promise<Pages> | undefined;

/** The pages; read once, on first use. */
export function loadPages(): Promise<Pages> {
  loading ??= load().catch((fault: unknown) => {
    loading = undefined;
    throw fault;
  });
  return loading;
}

async function load(): Promise<Pages> {
  const inside = Bun.embeddedFiles.find((blob) => /^pages-\w+\.bin$/.test((blob as File).name));
  const text = inside ? await inside.text() : await buildFromSources();
  const built = JSON.parse(text) as BuiltPages;
  return {
    openIndex: makeIndexOpener(built.index),
    assets: new Map(built.assets.map((each) => [each.name, openFile(each)])),
  };
}

/** Compressed once for each base path; a server has one. */
function makeIndexOpener(text: string): Pages['openIndex'] {
  const opened = new Map<string, PageFile>();
  return (base) => {
    const html = text.replaceAll('%BASE%', base);
    const page = opened.get(base) ?? {
      type: 'text/html; charset=utf-8',
      gzip: gzipSync(html, { level: 9 }),
      brotli: brotliCompressSync(html),
    };
    opened.set(base, page);
    return page;
  };
}

/** Built in a separate process: the bundler is not part of the executable. */
async function buildFromSources(): Promise<string> {
  const root = join(import.meta.dir, '../../..');
  const outfile = join(root, '.tools/pages', `${hashOfSources(root)}.bin`);
  const there = Bun.file(outfile);
  if (await there.exists()) return there.text();
  const builder = Bun.spawn([process.execPath, join(root, 'scripts/pages.ts'), outfile], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = await builder.stderr.text();
  if ((await builder.exited) !== 0) throw new Error(`the pages could not be built: ${said}`);
  return Bun.file(outfile).text();
}

function hashOfSources(root: string): string {
  const hash = new Bun.CryptoHasher('sha256');
  const web = join(root, 'src/web');
  const inside = readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of [...inside.sort(), join(root, 'scripts/pages.ts'), join(root, 'bun.lock')]) {
    hash.update(path).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 20);
}

function openFile({ type, gzip, brotli }: BuiltFile): PageFile {
  return { type, gzip: Buffer.from(gzip, 'base64'), brotli: Buffer.from(brotli, 'base64') };
}

/** Returns the bytes in the coding that this client prefers, with the headers that name it. */
export function negotiate(file: PageFile, acceptEncoding: string | null) {
  const coding = chooseCoding(acceptEncoding);
  const headers = { 'content-type': file.type, vary: 'accept-encoding' };
  if (coding === 'identity') return { bytes: gunzipSync(file.gzip), headers };
  const bytes = coding === 'br' ? file.brotli : file.gzip;
  return { bytes, headers: { ...headers, 'content-encoding': coding } };
}
