/** Finds texts for people in the source of a page, where they can't be translated. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './source.ts';

/** Attributes whose texts only programs read. The texts of all others count as texts for people. */
const silentAttributes = new Set(
  [
    'class id key for href to src rel target name type role method action lang dir list',
    'icon path areas shortcut section who load value checked list autocomplete autocapitalize inputMode enterKeyHint download',
    'aria-current aria-live aria-controls aria-expanded aria-haspopup aria-hidden aria-labelledby aria-orientation',
    'aria-activedescendant aria-pressed aria-selected aria-invalid aria-describedby aria-autocomplete aria-sort',
    'viewBox d fill stroke stroke-width stroke-linecap stroke-linejoin preserveAspectRatio transform style',
    'sandbox referrerpolicy csp loading decoding pattern step min max width height x y dateTime tabIndex',
  ]
    .join(' ')
    .split(' '),
);

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Returns each text as `line: text`. */
export function findScreenTexts(path: string, text = readFileSync(join(root, path), 'utf8')): string[] {
  const { program } = parseSync(path, text);
  const found = new Map<number, string>();
  const report = ({ node, text: words }: Result) => {
    if (/\p{L}{2}/u.test(words)) found.set(node.start, words.trim().replace(/\s+/g, ' '));
  };
  visit(program as unknown as Node, (node, parent) => {
    if (node.type === 'JSXText') report({ node, text: String(node.value) });
    if (node.type === 'JSXAttribute' && node.value && !silentAttributes.has(attributeName(node))) {
      listResults(node.value as Node).forEach(report);
    }
    if (node.type === 'JSXExpressionContainer' && parent?.type !== 'JSXAttribute') {
      listResults(node).forEach(report);
    }
    // Anywhere else: two or more words that look like a sentence.
    if (parent?.type !== 'JSXAttribute' && parent?.type !== 'ImportDeclaration') {
      listResults(node, false)
        .filter((each) => /^\p{Lu}[\p{Ll}’]*[,:;]? \p{L}|[\p{Ll}’]+ [\p{L} ’,]+\.$/u.test(each.text))
        .forEach(report);
    }
  });
  const findLine = (offset: number) => text.slice(0, offset).split('\n').length;
  return Array.from(found, ([start, words]) => `${findLine(start)}: ${words}`);
}

interface Result {
  node: Node;
  text: string;
}

/** Returns the strings that an expression can evaluate to: both sides of a choice, but not what is compared. */
function listResults(node: Node, isDeep = true): Result[] {
  if (node.type === 'Literal') return typeof node.value === 'string' ? [{ node, text: node.value }] : [];
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as { value: { cooked: string } }[];
    return [{ node, text: quasis.map(({ value }) => value.cooked).join('…') }];
  }
  if (!isDeep) return [];
  const inner =
    { JSXExpressionContainer: ['expression'], ConditionalExpression: ['consequent', 'alternate'] }[
      node.type
    ] ??
    { LogicalExpression: ['left', 'right'], ArrayExpression: ['elements'] }[node.type] ??
    [];
  return inner
    .flatMap((name) => node[name] as Node | Node[])
    .flatMap((each) => (each ? listResults(each) : []));
}

function attributeName({ name }: Node): string {
  const { namespace, name: local } = name as { namespace?: { name: string }; name: string };
  return namespace ? `${namespace.name}:${local}` : local;
}

function visit(node: Node, see: (node: Node, parent?: Node) => void, parent?: Node): void {
  see(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && 'type' in child) visit(child as Node, see, node);
    }
  }
}
