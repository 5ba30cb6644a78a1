/** The elements of HTML and what is known about each, and the attributes that are read. */
import { Names } from './names.ts';

/** What is known about an element by its name. */
export interface Tag {
  readonly name: string;
  /** Whether it has no content and no end tag. */
  readonly isVoid: boolean;
  /** Whether its content is text up to its own end tag. */
  readonly isRaw: boolean;
  /** The open elements that its start tag ends: some whose end tag is optional in the HTML standard. */
  readonly ends: ReadonlySet<string> | null;
  /** True for SVG and MathML, in which "/>" ends an element; false for their elements that contain HTML again. */
  readonly foreign: boolean | null;
  readonly block: boolean;
  /** Whether its content is never displayed. */
  readonly unseen: boolean;
  readonly look: { bold?: true; mono?: true; struck?: true; heading?: number } | null;
}

const split = (names: string) => names.split(' ');

const BLOCKS =
  'address article aside blockquote body br button caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section select summary table tbody td tfoot th thead title tr ul';
const UNSEEN =
  'head title script style template noscript object iframe svg math audio video canvas datalist xml';
const VOID =
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr';
const RAW = 'script style textarea title xmp';
const FOREIGN = 'svg math';
const FOREIGN_WITH_HTML = 'mi mo mn ms mtext annotation-xml foreignobject desc title';
const HEADINGS = { h1: 32, h2: 24, h3: 19, h4: 16 };
const BOLD = 'b strong h1 h2 h3 h4 h5 h6 th';
const STRUCK = 's strike del';
const MONO = 'code pre kbd samp tt';
/** Other elements that mail often has. */
const INLINE = 'html a span font i u em small big sub sup ins nobr label abbr cite picture o:p';

/** By element, the start tags that end it. */
const ENDED_BY: Record<string, string> = {
  p: 'p h1 h2 h3 h4 h5 h6 address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol pre section table ul',
  tr: 'tr',
  th: 'tr th td',
  td: 'tr td',
  thead: 'td tbody tfoot',
  tbody: 'tbody tfoot',
  head: 'body',
  script: 'body',
  li: 'li',
  option: 'option optgroup',
  optgroup: 'optgroup',
  dd: 'dd dt',
  dt: 'dd dt',
  rt: 'rt rp',
  rp: 'rt rp',
};
const FORM = 'input option optgroup select button datalist textarea';
const ENDS_FORM = 'select input output button datalist textarea';
for (const name of split(FORM)) ENDED_BY[name] = `${ENDED_BY[name] ?? ''} ${ENDS_FORM}`.trim();

function findEnded(name: string): ReadonlySet<string> | null {
  const ends = Object.keys(ENDED_BY).filter((ended) => split(ENDED_BY[ended]!).includes(name));
  return ends.length > 0 ? new Set(ends) : null;
}

function readLook(name: string): Tag['look'] {
  const heading = HEADINGS[name as keyof typeof HEADINGS];
  const look: Tag['look'] = {
    ...(split(BOLD).includes(name) && { bold: true }),
    ...(split(MONO).includes(name) && { mono: true }),
    ...(split(STRUCK).includes(name) && { struck: true }),
    ...(heading && { heading }),
  };
  return Object.keys(look).length > 0 ? look : null;
}

const makeTag = (name: string): Tag => ({
  name,
  isVoid: split(VOID).includes(name),
  isRaw: split(RAW).includes(name),
  ends: findEnded(name),
  foreign: split(FOREIGN).includes(name) || (split(FOREIGN_WITH_HTML).includes(name) ? false : null),
  block: split(BLOCKS).includes(name),
  unseen: split(UNSEEN).includes(name),
  look: readLook(name),
});

export const tagNames = new Names<Tag>(
  split(
    [
      BLOCKS,
      UNSEEN,
      VOID,
      RAW,
      FOREIGN,
      FOREIGN_WITH_HTML,
      BOLD,
      MONO,
      STRUCK,
      INLINE,
      FORM,
      ENDS_FORM,
      ...Object.keys(ENDED_BY),
    ].join(' '),
  ),
  makeTag,
);

const OTHER = makeTag('');

/** Returns the tag of a name that `find` did not know. In lower case it may be known: the Kelvin sign becomes a k. */
export const makeOtherTag = (name: string): Tag => tagNames.get(name) ?? { ...OTHER, name };

/** The attributes that are read. `ariaHidden` is `aria-hidden`. */
export interface Attributes {
  href: string | undefined;
  style: string | undefined;
  class: string | undefined;
  id: string | undefined;
  alt: string | undefined;
  type: string | undefined;
  value: string | undefined;
  content: string | undefined;
  hidden: string | undefined;
  ariaHidden: string | undefined;
  autocomplete: string | undefined;
  itemprop: string | undefined;
  itemtype: string | undefined;
}

export const makeAttributes = (): Attributes => ({
  href: undefined,
  style: undefined,
  class: undefined,
  id: undefined,
  alt: undefined,
  type: undefined,
  value: undefined,
  content: undefined,
  hidden: undefined,
  ariaHidden: undefined,
  autocomplete: undefined,
  itemprop: undefined,
  itemtype: undefined,
});

export const NO_ATTRIBUTES: Readonly<Attributes> = Object.freeze(makeAttributes());

export const attributeFields = new Names<keyof Attributes>(
  Object.keys(NO_ATTRIBUTES).map((key) => (key === 'ariaHidden' ? 'aria-hidden' : key)),
  (name) => (name === 'aria-hidden' ? 'ariaHidden' : (name as keyof Attributes)),
);
