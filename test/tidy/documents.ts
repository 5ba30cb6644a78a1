/** Finds the paths, links and headings that documents and comments cite. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { filesBelow, root, type Source } from './source.ts';

/** Paths that the build or a run creates, so they are not in the repository. */
const created = /^(dist|data|\.tools|node_modules)(\/|$)/;
const folders = [
  'src',
  'test',
  'scripts',
  'clients',
  'docs',
  'monitoring',
  'systemd',
  '.ci',
  '.github',
  'patches',
  'examples',
  'containers',
  'packaging',
];
const tops = [...folders, ...readdirSync(root)];
const files = [...folders.flatMap(filesBelow), ...tops].filter((path) => existsSync(join(root, path)));

export const documents = files.filter((path) => /\.md$|^llms\.txt$/.test(path)).sort();

export interface Citation {
  where: string;
  cited: string;
}

/** Returns whether a cited path exists: from the root, relative to the comment, or as the end of some path. */
export function isThere({ where, cited }: Citation): boolean {
  const path = cited.replace(/\/$/, '');
  const bases = [root, join(root, 'src'), join(root, dirname(where))];
  if (bases.some((base) => existsSync(join(base, path)))) return true;
  return !cited.startsWith('.') && files.some((file) => file.endsWith(`/${path}`));
}

/** Returns whether a path that a document cites exists from the root. A bare name (`routes.ts`) may be any file's. */
export const isThereInFull = ({ where, cited }: Citation): boolean =>
  cited.includes('/') ? existsSync(join(root, cited)) : isThere({ where, cited });

export const readText = (document: string, at = root) => readFileSync(join(at, document), 'utf8');

/** Removes fenced blocks, because commands and samples have their own tests. */
const withoutFences = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');

/** Returns the names in backticks that look like files or folders of the project. */
export function pathsIn(document: string): Citation[] {
  const quoted = Array.from(
    withoutFences(readText(document)).matchAll(/`([^`\n]+)`/g),
    ([, text = '']) => text,
  );
  return quoted.filter(isLikelyFile).map((cited) => ({ where: document, cited }));
}

function isLikelyFile(text: string): boolean {
  if (!/^[\w.@-]+(\/[\w.@-]+)*\/?$/.test(text) || created.test(text)) return false;
  if (/\.(ts|tsx|sql|md|service)$/.test(text)) return true;
  return text.includes('/') && tops.includes(text.split('/')[0]!);
}

/** Returns the links to files of the project, or of the folder `at`, with their anchors. */
export function linksIn(document: string, at = root): { target: string; anchor: string }[] {
  const text = withoutFences(readText(document, at));
  const links = [
    ...Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, to = '']) => to),
    ...Array.from(text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g), ([, to = '']) => to),
  ];
  return links
    .filter((to) => !/^[a-z]+:/.test(to))
    .map((to) => {
      const [path = '', anchor = ''] = to.split('#');
      const target = path === '' ? document : relative(root, join(root, dirname(document), path));
      return { target, anchor };
    });
}

/** Returns `document: target` for each link in a folder of documents that leads to no file in that folder. */
export function findDeadLinks(folder: string): string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  if (pages.length < 20) throw new Error(`only ${pages.length} documents in ${folder}`);
  return pages.flatMap((document) =>
    linksIn(document, folder)
      .filter(({ target }) => target.startsWith('..') || !existsSync(join(folder, target)))
      .map(({ target }) => `${document}: ${target}`),
  );
}

/** Returns the anchors that GitHub derives from a document's headings. */
export function listAnchors(document: string): string[] {
  const headings = Array.from(
    withoutFences(readText(document)).matchAll(/^#{1,6} +(.+)$/gm),
    ([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
  );
  return headings.map((slug, index) => {
    const before = headings.slice(0, index).filter((other) => other === slug).length;
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

/** Matches `src/app/app.ts`, `errors.ts` and `docs/operations.md`, but not `*.ts` or a part of a longer word. */
const pathInComment =
  /(?<![\w@./*…{-])(?:\.{1,2}\/)*[\w.@-]+(?:\/[\w.@-]+)*\.(?:tsx?|sql|md|service)\b(?![\w/*(])/g;

const pathsInText = (where: string, text: string) =>
  Array.from(text.matchAll(pathInComment), ([cited]) => ({ where, cited })).filter(
    ({ cited }) => !created.test(cited),
  );

export const pathsInComments = ({ path, comments }: Source): Citation[] =>
  comments.flatMap((comment) => pathsInText(path, comment));

/** Returns the paths in comments of shell scripts, units and SQL, where a comment is a whole line. */
export function pathsInCommentLines(): Citation[] {
  const scripts = files.filter(
    (path) => /^(scripts|\.ci)\/[a-z-]+$|^install\.sh$|^systemd\/|\.sql$/.test(path) && basename(path) !== '',
  );
  return scripts.flatMap((path) => {
    const lines = readText(path).split('\n');
    const comments = lines.filter((line) => /^\s*(#|--)/.test(line));
    return comments.flatMap((line) => pathsInText(path, line));
  });
}

/** Returns the rows of the tables below a heading, up to the next heading of its level. Cells are as written. */
export function rowsBelow(document: string, heading: string): string[][] {
  const text = readText(document);
  const level = /^#+/.exec(heading)![0];
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`${document} has no ${heading}`);
  const rest = text.slice(start + heading.length + 2);
  const section = rest.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0]!;
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.map((row) =>
    row
      .replaceAll('\\|', '\0')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\0', '|')),
  );
}

/** Returns the text in a cell's backticks, if any. */
export const quoted = (cell = '') => /^`([^`]+)`$/.exec(cell)?.[1];

/** Returns citations such as `docs/server.md, What SMTP answers` whose document has no such heading. */
export function findMissingHeadings(): string[] {
  const headings = new Map(documents.map((document) => [document, listHeadings(document)]));
  const texts = files.filter((path) => /\.(?:tsx?|sql|md|service|env|yaml|tpl)$/.test(path));
  return texts.flatMap((path) => {
    // A line may end within the citation of a heading.
    const text = readText(path).replace(/\s*\n\s*(?:\*|\/\/|#|--)?\s*/g, ' ');
    const cited = Array.from(text.matchAll(/\b(docs\/[a-z0-9-]+\.md), ([A-Z][^).;:*`]*)/g));
    return cited
      .filter(([, document = '', heading = '']) => {
        const known = headings.get(document) ?? [];
        return !known.includes(heading.trim()) && !known.includes(heading.split(',')[0]!.trim());
      })
      .map(([citation]) => `${path}: ${citation}`);
  });
}

const listHeadings = (document: string) =>
  Array.from(withoutFences(readText(document)).matchAll(/^#{1,6} +(.+)$/gm), ([, text = '']) =>
    text.replaceAll('`', ''),
  );
