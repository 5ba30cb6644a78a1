/** Parses the source files that test/tidy.test.ts checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

export const root = resolve(import.meta.dir, '../..');

export interface Import {
  /** The module as written. */
  from: string;
  /** The path from the repository's root, for a file of the project. */
  file: string | undefined;
  /** Whether it imports only types: `import type`, `export type … from`, `import('…').T`. */
  typeOnly: boolean;
  /** The names that the module exports them by; empty for a whole module. */
  names: string[];
  line: number;
}

export interface Found {
  name: string;
  line: number;
  lines: number;
}

export interface Text {
  text: string;
  line: number;
}

export interface Source {
  /** The path from the repository's root, with forward slashes. */
  path: string;
  text: string;
  lines: number;
  imports: Import[];
  functions: Found[];
  /** The names that it exports. */
  exported: string[];
  /** Lines that spread a literal: `...[a, b]`. */
  literalSpreads: number[];
  /** String literals, and templates up to their first placeholder. */
  texts: Text[];
  comments: string[];
  /** Calls whose first argument is a string: `writeOp('…', …)`. */
  namedCalls: { callee: string; name: string; line: number }[];
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** Lists every file below a folder, by its path from the repository's root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

export function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, errors, comments } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)];
  const findLine = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const source: Source = {
    path,
    text,
    lines: lineStarts.length - (text.endsWith('\n') ? 1 : 0),
    imports: [],
    functions: [],
    exported: [],
    literalSpreads: [],
    texts: [],
    comments: comments.map(({ value }) => value),
    namedCalls: [],
  };
  walk(program as unknown as Node, undefined, (node, parent) => look(source, node, parent, findLine));
  return source;
}

function walk(node: Node, parent: Node | undefined, visit: (node: Node, parent?: Node) => void): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && 'type' in child) walk(child as Node, node, visit);
    }
  }
}

/** Whether it is `...[a, b]`, `...([a, b] as const)`, `...{ a }`, or `{...{ a }}` among a component's properties. */
function isLiteralSpread({ type, argument }: Node): boolean {
  if (type !== 'SpreadElement' && type !== 'JSXSpreadAttribute') return false;
  let spread = argument as Node;
  while (spread.type === 'ParenthesizedExpression' || isAsConst(spread)) spread = spread.expression as Node;
  return spread.type === 'ArrayExpression' || spread.type === 'ObjectExpression';
}

function isAsConst({ type, typeAnnotation }: Node): boolean {
  const typeName = (typeAnnotation as { typeName?: { name?: string } } | undefined)?.typeName;
  return type === 'TSAsExpression' && typeName?.name === 'const';
}

function look(
  source: Source,
  node: Node,
  parent: Node | undefined,
  findLine: (offset: number) => number,
): void {
  const line = findLine(node.start);
  const imported = readImport(node);
  if (imported) source.imports.push({ ...imported, file: findFile(source.path, imported.from), line });
  if (/Function/.test(node.type) && node.body && !isDescribe(parent)) {
    source.functions.push({ name: readName(node, parent), line, lines: findLine(node.end) - line + 1 });
  }
  if (node.type === 'ExportNamedDeclaration') source.exported.push(...declaredBy(node.declaration as Node));
  if (isLiteralSpread(node)) source.literalSpreads.push(line);
  if (node.type === 'Literal' && typeof node.value === 'string')
    source.texts.push({ text: node.value, line });
  if (node.type === 'TemplateLiteral') {
    const first = (node.quasis as { value: { raw: string } }[])[0];
    source.texts.push({ text: first?.value.raw ?? '', line });
  }
  if (node.type === 'CallExpression') {
    const callee = (node.callee as Node).name;
    const name = (node.arguments as Node[])[0]?.value;
    if (typeof callee === 'string' && typeof name === 'string')
      source.namedCalls.push({ callee, name, line });
  }
}

function declaredBy(node: Node | null): string[] {
  const declared = (node?.declarations ?? (node ? [node] : [])) as { id?: Node }[];
  return declared.flatMap(({ id }) => (typeof id?.name === 'string' ? [id.name] : []));
}

function readImport(node: Node): Pick<Import, 'from' | 'typeOnly' | 'names'> | undefined {
  const source = (node.source ?? (node.type === 'TSImportType' ? node.argument : undefined)) as
    | Node
    | undefined;
  if (!source || typeof source.value !== 'string') return;
  const specifiers = (node.specifiers ?? []) as Node[];
  const eachIsType =
    specifiers.length > 0 && specifiers.every((one) => (one.importKind ?? one.exportKind) === 'type');
  const typeOnly =
    node.type === 'TSImportType' || (node.importKind ?? node.exportKind) === 'type' || eachIsType;
  const names = specifiers.map((one) => String((one.imported as Node | undefined)?.name ?? '*'));
  return { from: source.value, typeOnly, names };
}

function findFile(importer: string, from: string): string | undefined {
  if (!from.startsWith('.')) return;
  return resolve(root, dirname(importer), from).slice(root.length + 1);
}

/** Returns whether a function is passed to `describe`. Its length does not count, because it contains tests like a file. */
function isDescribe(parent: Node | undefined): boolean {
  if (parent?.type !== 'CallExpression') return false;
  let callee = parent.callee as Node;
  while (callee.object ?? callee.callee) callee = (callee.object ?? callee.callee) as Node;
  return callee.name === 'describe';
}

function readName(node: Node, parent: Node | undefined): string {
  const named = (node.id ?? parent?.id ?? parent?.key) as Node | undefined;
  return typeof named?.name === 'string' ? named.name : 'a function';
}
