import { features } from './caniemail.ts';

/*
 * Which names in HTML and CSS belong to which feature of caniemail.com. Most follow from the feature's title:
 * `<video> element`, `align attribute`, `max-width`, `:hover`, `vh unit`. The tables have the rest. A test fails
 * when the data has a feature that neither covers.
 */

type Names = Readonly<Record<string, string>>;

const elementTable: Names = {
  'html-address': 'address',
  'html-base': 'base',
  'html-h1-h6': 'h1 h2 h3 h4 h5 h6',
  'html-image-maps': 'map',
  'html-lists': 'ul ol dl',
  'html-script': 'script',
  'html-semantics':
    'article aside details figcaption figure footer header main mark nav section summary time',
  'html-svg': 'svg',
};

const attributeTable: Names = {
  'css-inert-attribute': 'inert',
  'html-image-maps': 'usemap',
  'html-srcset': 'srcset sizes',
};

const propertyTable: Names = {
  'css-animation':
    'animation animation-name animation-duration animation-delay animation-timing-function animation-iteration-count animation-direction animation-fill-mode animation-play-state',
  'css-block-inline-size': 'block-size',
  'css-border':
    'border border-top border-right border-bottom border-left border-color border-style border-width border-top-color border-top-style border-top-width border-right-color border-right-style border-right-width border-bottom-color border-bottom-style border-bottom-width border-left-color border-left-style border-left-width',
  'css-border-image':
    'border-image border-image-source border-image-slice border-image-width border-image-outset border-image-repeat',
  'css-border-inline-block': 'border-inline border-block',
  'css-border-inline-block-individual':
    'border-block-end border-block-start border-inline-end border-inline-start',
  'css-border-inline-block-longhand':
    'border-block-color border-block-style border-block-width border-inline-color border-inline-style border-inline-width',
  'css-border-radius':
    'border-radius border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius',
  'css-border-radius-logical':
    'border-end-end-radius border-end-start-radius border-start-end-radius border-start-start-radius',
  'css-column-count': 'column-count columns',
  'css-column-layout-properties':
    'column-fill column-rule column-rule-color column-rule-style column-rule-width column-span column-width',
  'css-color-scheme': 'color-scheme',
  'css-gap': 'gap column-gap row-gap grid-gap',
  'css-grid-template': 'grid-template grid-template-areas grid-template-columns grid-template-rows',
  // An attribute, in spite of its slug.
  'css-inert-attribute': '',
  'css-left-right-top-bottom': 'left right top bottom',
  'css-margin': 'margin margin-top margin-right margin-bottom margin-left',
  'css-margin-block-start-end': 'margin-block-start margin-block-end',
  'css-margin-inline-block': 'margin-inline margin-block',
  'css-margin-inline-start-end': 'margin-inline-start margin-inline-end',
  'css-outline': 'outline outline-color outline-style outline-width',
  'css-overflow': 'overflow overflow-x overflow-y',
  'css-padding': 'padding padding-top padding-right padding-bottom padding-left',
  'css-padding-block-start-end': 'padding-block-start padding-block-end',
  'css-padding-inline-block': 'padding-inline padding-block',
  'css-padding-inline-start-end': 'padding-inline-start padding-inline-end',
  'css-scroll-snap': 'scroll-snap-type scroll-snap-align scroll-snap-stop',
  'css-transition':
    'transition transition-property transition-duration transition-delay transition-timing-function',
};

/** `property:value`. */
const valueTable: Names = {
  'css-display-flex': 'display:flex display:inline-flex',
  'css-display-grid': 'display:grid display:inline-grid',
  'css-display-none': 'display:none',
  'css-flex-direction': 'flex-direction:column flex-direction:column-reverse',
  'css-flex-wrap': 'flex-wrap:wrap flex-wrap:wrap-reverse',
};

/** Values that count for any property. */
const keywordTable: Names = {
  'css-intrinsic-size': 'fit-content min-content max-content',
  'css-sytem-ui': 'system-ui ui-serif ui-sans-serif ui-rounded ui-monospace',
  'css-unit-initial': 'initial',
};

const functionTable: Names = {
  'css-conic-gradient': 'conic-gradient repeating-conic-gradient',
  'css-function-clamp': 'clamp',
  'css-function-light-dark': 'light-dark',
  'css-function-max': 'max',
  'css-function-min': 'min',
  'css-linear-gradient': 'linear-gradient repeating-linear-gradient',
  'css-modern-color': 'lch oklch lab oklab',
  'css-radial-gradient': 'radial-gradient repeating-radial-gradient',
  'css-rgb': 'rgb',
  'css-rgba': 'rgba',
  'css-unit-calc': 'calc',
  'css-variables': 'var',
};

/** Names within `@media ( … )`. */
const mediaTable: Names = {
  'css-at-media-device-pixel-ratio':
    '-webkit-device-pixel-ratio -webkit-min-device-pixel-ratio -webkit-max-device-pixel-ratio',
  'css-at-media-hover': 'hover any-hover',
  'css-at-media-orientation': 'orientation',
  'css-at-media-prefers-color-scheme': 'prefers-color-scheme',
  'css-at-media-prefers-reduced-motion': 'prefers-reduced-motion',
};

/** Endings of a picture's address, and types of `data:` URLs. */
const pictureTable: Names = {
  'image-apng': 'apng',
  'image-avif': 'avif',
  'image-bmp': 'bmp',
  'image-gif': 'gif',
  'image-hdr': 'hdr',
  'image-heif': 'heif heic',
  'image-ico': 'ico x-icon vnd.microsoft.icon',
  'image-jpg': 'jpg jpeg',
  'image-mp4': 'mp4',
  'image-png': 'png',
  'image-svg': 'svg svg+xml',
  'image-tiff': 'tif tiff',
  'image-webp': 'webp',
};

/** `type` of `<input>` and `<button>`. */
const typeTable: Names = {
  'html-button-reset': 'button:reset',
  'html-button-submit': 'button:submit',
  'html-input-checkbox': 'input:checkbox',
  'html-input-hidden': 'input:hidden',
  'html-input-radio': 'input:radio',
  'html-input-reset': 'input:reset',
  'html-input-submit': 'input:submit',
  'html-input-text': 'input:text',
};

/** Features of the form of selectors. selectors.ts finds them. */
export const selectorFeatures = {
  adjacent: 'css-selector-adjacent-sibling',
  attribute: 'css-selector-attribute',
  chaining: 'css-selector-chaining',
  child: 'css-selector-child',
  class: 'css-selector-class',
  descendant: 'css-selector-descendant',
  general: 'css-selector-general-sibling',
  grouping: 'css-selector-grouping',
  id: 'css-selector-id',
  type: 'css-selector-type',
  universal: 'css-selector-universal',
  nesting: 'css-nesting',
} as const;

/** Features that only the readers of HTML and CSS can find. */
export const otherFeatures = {
  anchor: 'html-anchor-links',
  mailto: 'html-mailto-links',
  colorSchemeMeta: 'html-meta-color-scheme',
  doctype: 'html-doctype',
  htmlComment: 'html-comments',
  cssComment: 'css-comments',
  important: 'css-important',
  base64: 'image-base64',
  variables: 'css-variables',
  percent: 'css-unit-percent',
} as const;

export const elementNames = index(elementTable, 'html-', /^<(\w+)> element$/, /^<(\w+)>$/);
export const attributeNames = index(attributeTable, 'html-', /^([\w-]+) attribute$/);
export const propertyNames = index(propertyTable, 'css-', /^([a-z]+(?:-[a-z]+)*)(?: shorthand| property)?$/);
export const atRuleNames = index({}, 'css-at-', /^@([a-z-]+)$/);
export const pseudoNames = index(
  { 'css-pseudo-class-lang': 'lang' },
  'css-pseudo-',
  /^::?([a-z-]+)(?:\(\))?$/,
);
export const unitNames = index({}, 'css-unit-', /^([a-z]+) unit$/);
export const valueNames = index(valueTable, 'css-', null);
export const keywordNames = index(keywordTable, 'css-', null);
export const functionNames = index(functionTable, 'css-', null);
export const mediaNames = index(mediaTable, 'css-', null);
export const pictureNames = index(pictureTable, 'image-', null);
export const typeNames = index(typeTable, 'html-', null);

/**
 * Features that a mail program may lack without harm: one that drops `<body>` or `lang` still shows the mail. They
 * are good to have, so they lower no score and cause no warning.
 */
export const harmless: ReadonlySet<string> = new Set([
  'html-body',
  'html-doctype',
  'html-lang',
  'html-role',
  'html-comments',
  'html-aria-describedby',
  'html-aria-hidden',
  'html-aria-label',
  'html-aria-labelledby',
  'html-aria-live',
  'html-target',
  'html-meta-color-scheme',
  'css-color-scheme',
  'css-comments',
]);

/** Every feature that can be found in a mail. */
export const findable: ReadonlySet<string> = new Set([
  ...[elementNames, attributeNames, propertyNames, atRuleNames, pseudoNames, unitNames, valueNames].flatMap(
    (names) => [...names.values()],
  ),
  ...[keywordNames, functionNames, mediaNames, pictureNames, typeNames].flatMap((names) => [
    ...names.values(),
  ]),
  ...Object.values(selectorFeatures),
  ...Object.values(otherFeatures),
]);

/** Maps names to slugs. A row of the table replaces what the feature's title says. */
function index(table: Names, prefix: string, ...titles: (RegExp | null)[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [slug, listed] of Object.entries(table))
    for (const name of listed.split(' ')) if (name !== '' && features.has(slug)) names.set(name, slug);
  for (const { slug, title } of features.values()) {
    if (!slug.startsWith(prefix) || slug in table) continue;
    const found = titles.map((form) => form?.exec(title)?.[1]).find((name) => name !== undefined);
    if (found !== undefined && !names.has(found)) names.set(found, slug);
  }
  return names;
}
