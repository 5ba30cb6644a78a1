import { type CSSToken, TokenType, tokenizer } from '@csstools/css-tokenizer';
import {
  atRuleNames,
  functionNames,
  keywordNames,
  mediaNames,
  otherFeatures,
  propertyNames,
  selectorFeatures,
  unitNames,
  valueNames,
} from './feature-names.ts';
import { readSelector, type StyleHandler } from './selectors.ts';

/*
 * Finds the features that CSS uses, from its tokens. A statement is collected up to its `;`, `{` or `}`. What it is
 * depends on the block that it is in. Everything takes time proportional to the length.
 */

/** Tokens of a statement that are read. No honest selector or value has more. */
const STATEMENT_TOKENS_MAX = 2_000;

/** At-rules whose block contains rules. The block of any other contains declarations. */
const GROUPING = /^(media|supports|layer|container|document|-moz-document|scope|starting-style)$/;

type Block = 'rules' | 'declarations' | 'keyframes';

export function readStyleSheet(css: string, handler: StyleHandler): void {
  read(css, 'rules', handler);
}

/** Reads the declarations of a `style` attribute. */
export function readStyleAttribute(css: string, handler: StyleHandler): void {
  read(css, 'declarations', handler);
}

function read(css: string, outermost: Block, handler: StyleHandler): void {
  const source = tokenizer({ css });
  const blocks: Block[] = [outermost];
  let statement: CSSToken[] = [];
  let parentheses = 0;
  while (!source.endOfFile()) {
    const token = source.nextToken();
    const [type] = token;
    if (type === TokenType.EOF) break;
    if (type === TokenType.Comment) {
      handler.found(otherFeatures.cssComment, token[2], '/* */');
      continue;
    }
    if (isOpening(type)) parentheses += 1;
    if (type === TokenType.CloseParen || type === TokenType.CloseSquare)
      parentheses = Math.max(0, parentheses - 1);
    const isEnd =
      type === TokenType.OpenCurly ||
      type === TokenType.CloseCurly ||
      (type === TokenType.Semicolon && parentheses === 0);
    if (!isEnd) {
      if (statement.length < STATEMENT_TOKENS_MAX) statement.push(token);
      continue;
    }
    parentheses = 0;
    const inside = blocks.at(-1)!;
    if (type === TokenType.OpenCurly) blocks.push(openBlock(trim(statement), inside, handler));
    else endStatement(trim(statement), inside, handler);
    if (type === TokenType.CloseCurly && blocks.length > 1) blocks.pop();
    statement = [];
  }
  endStatement(trim(statement), blocks.at(-1)!, handler);
}

function isOpening(type: TokenType): boolean {
  return type === TokenType.OpenParen || type === TokenType.Function || type === TokenType.OpenSquare;
}

/** Reads what comes before a `{`, and returns what the block contains. */
function openBlock(prelude: CSSToken[], inside: Block, handler: StyleHandler): Block {
  const [first] = prelude;
  if (first?.[0] === TokenType.AtKeyword) {
    const name = readAtRule(prelude, handler);
    if (/keyframes$/.test(name)) return 'keyframes';
    return GROUPING.test(name) && inside !== 'declarations' ? 'rules' : 'declarations';
  }
  if (inside === 'keyframes' || !first) return 'declarations';
  if (inside === 'declarations') handler.found(selectorFeatures.nesting, first[2], write(prelude));
  readSelector(prelude, write(prelude), handler);
  return 'declarations';
}

function endStatement(statement: CSSToken[], inside: Block, handler: StyleHandler): void {
  if (statement[0]?.[0] === TokenType.AtKeyword) readAtRule(statement, handler);
  else if (inside === 'declarations') readDeclaration(statement, handler);
}

function readAtRule(statement: CSSToken[], handler: StyleHandler): string {
  const [keyword] = statement;
  if (keyword?.[0] !== TokenType.AtKeyword) return '';
  const name = keyword[4].value.toLowerCase().replace(/^-(webkit|moz|o|ms)-/, '');
  const shown = write(statement);
  report(atRuleNames.get(name), keyword, shown, handler);
  if (name !== 'media') return name;
  for (const token of statement) {
    if (token[0] === TokenType.Ident)
      report(mediaNames.get(token[4].value.toLowerCase()), keyword, shown, handler);
  }
  return name;
}

function readDeclaration(statement: CSSToken[], handler: StyleHandler): void {
  const [name, ...rest] = statement;
  const colon = rest.findIndex(([type]) => type !== TokenType.Whitespace);
  if (name?.[0] !== TokenType.Ident || rest[colon]?.[0] !== TokenType.Colon) return;
  const property = name[4].value.toLowerCase();
  const shown = write(statement);
  if (property.startsWith('--')) report(otherFeatures.variables, name, shown, handler);
  else report(propertyNames.get(property), name, shown, handler);
  const value = rest.slice(colon + 1);
  handler.declared?.(property, write(trim(value)).toLowerCase());
  for (const [index, token] of value.entries()) {
    report(findInValue(property, token, value[index + 1]), name, shown, handler);
    const url = readUrl(token, value[index + 1]);
    if (url !== undefined) handler.picture(url, name[2]);
  }
}

function findInValue(property: string, token: CSSToken, next: CSSToken | undefined): string | undefined {
  switch (token[0]) {
    case TokenType.Ident: {
      const word = token[4].value.toLowerCase();
      return valueNames.get(`${property}:${word}`) ?? keywordNames.get(word);
    }
    case TokenType.Function:
      return functionNames.get(token[4].value.toLowerCase());
    case TokenType.Dimension:
      return unitNames.get(token[4].unit.toLowerCase());
    case TokenType.Percentage:
      return otherFeatures.percent;
    case TokenType.Delim:
      return token[4].value === '!' && next?.[1].toLowerCase() === 'important'
        ? otherFeatures.important
        : undefined;
    default:
      return undefined;
  }
}

/** Reads the address of `url(a.png)`, which is one token, or of `url("a.png")`, a function with a string. */
function readUrl(token: CSSToken, next: CSSToken | undefined): string | undefined {
  if (token[0] === TokenType.URL) return token[4].value;
  const isFunction = token[0] === TokenType.Function && token[4].value.toLowerCase() === 'url';
  return isFunction && next?.[0] === TokenType.String ? next[4].value : undefined;
}

function report(slug: string | undefined, { 2: at }: CSSToken, shown: string, handler: StyleHandler): void {
  if (slug !== undefined) handler.found(slug, at, shown);
}

function trim(statement: CSSToken[]): CSSToken[] {
  let [from, to] = [0, statement.length];
  while (from < to && statement[from]![0] === TokenType.Whitespace) from += 1;
  while (to > from && statement[to - 1]![0] === TokenType.Whitespace) to -= 1;
  return statement.slice(from, to);
}

/** Tokens of a statement that are shown. The snippet is cut to its length later. */
const SHOWN_TOKENS = 40;

function write(statement: CSSToken[]): string {
  return statement
    .slice(0, SHOWN_TOKENS)
    .map(([, text]) => text.slice(0, 100))
    .join('');
}
