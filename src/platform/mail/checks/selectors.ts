import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import { pseudoNames, selectorFeatures } from './feature-names.ts';

/** Called with what is found while CSS is read. `at` is an offset in the CSS. */
export interface StyleHandler {
  /** A feature, and the CSS to show for it. */
  found(slug: string, at: number, shown: string): void;
  /** A picture that a style loads. */
  picture(url: string, at: number): void;
  /** A declaration, both parts in lower case. */
  declared?(property: string, value: string): void;
}

const combinators: Readonly<Record<string, string>> = {
  '>': selectorFeatures.child,
  '+': selectorFeatures.adjacent,
  '~': selectorFeatures.general,
};

/** Pseudo-classes whose argument is a selector. That of others, such as `2n + 1`, is not. */
const TAKES_SELECTOR = /^(not|is|where|has)$/;

/** Finds the features of a selector list, such as `td.code > a:hover, #id`. */
export function readSelector(tokens: readonly CSSToken[], shown: string, handler: StyleHandler): void {
  const reading = new SelectorReading(shown, handler);
  for (const [index, token] of tokens.entries()) reading.take(token, tokens[index - 1]);
}

class SelectorReading {
  private readonly seen = new Set<string>();
  /** Simple selectors without a combinator between them: two in `a.b`. */
  private chained = 0;
  /** Whether white space followed the last simple selector. */
  private isApart = false;
  /** The token that ends what is skipped: the attribute in `[…]`, or the argument of `:nth-child(…)`. */
  private skippedTo: TokenType | null = null;

  constructor(
    private readonly shown: string,
    private readonly handler: StyleHandler,
  ) {}

  take(token: CSSToken, before: CSSToken | undefined): void {
    const [type] = token;
    if (this.skippedTo !== null) {
      if (type === this.skippedTo) this.skippedTo = null;
      return;
    }
    if (type === TokenType.Whitespace) this.isApart = true;
    else if (type === TokenType.Comma) this.combine(selectorFeatures.grouping, token);
    else if (type === TokenType.Hash) this.addSimple(selectorFeatures.id, token);
    else if (type === TokenType.Delim) this.takeDelimiter(token[4].value, token);
    else if (type === TokenType.OpenSquare) {
      this.addSimple(selectorFeatures.attribute, token);
      this.skippedTo = TokenType.CloseSquare;
    } else if (type === TokenType.Ident || type === TokenType.Function) {
      this.takeName(token[4].value.toLowerCase(), token, before);
    }
  }

  private takeName(name: string, token: CSSToken, before: CSSToken | undefined): void {
    if (before?.[0] === TokenType.Colon) this.add(pseudoNames.get(name), token);
    else if (before?.[0] === TokenType.Delim && before[4].value === '.')
      this.addSimple(selectorFeatures.class, token);
    else this.addSimple(selectorFeatures.type, token);
    if (token[0] === TokenType.Function && !TAKES_SELECTOR.test(name)) this.skippedTo = TokenType.CloseParen;
  }

  private takeDelimiter(sign: string, token: CSSToken): void {
    const combinator = combinators[sign];
    if (combinator !== undefined) this.combine(combinator, token);
    else if (sign === '*') this.addSimple(selectorFeatures.universal, token);
    else if (sign === '&') this.add(selectorFeatures.nesting, token);
  }

  private combine(slug: string, token: CSSToken): void {
    this.add(slug, token);
    this.chained = 0;
    this.isApart = false;
  }

  private addSimple(slug: string, token: CSSToken): void {
    if (this.isApart && this.chained > 0) this.combine(selectorFeatures.descendant, token);
    this.isApart = false;
    this.chained += 1;
    if (this.chained > 1) this.add(selectorFeatures.chaining, token);
    this.add(slug, token);
  }

  private add(slug: string | undefined, token: CSSToken): void {
    if (slug === undefined || this.seen.has(slug)) return;
    this.seen.add(slug);
    this.handler.found(slug, token[2], this.shown);
  }
}
