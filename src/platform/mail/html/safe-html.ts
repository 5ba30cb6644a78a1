import sanitize from 'sanitize-html';
import { type RemovedKind, removedElements } from '../../../rules/removed.ts';
import type { FrameLook, SafeHtml } from '../parsed.ts';
import { hasDarkScheme, resolveCss } from './frame-css.ts';

/*
 * Makes a stranger's HTML safe for a browser, and leaves it otherwise unchanged: its root elements, colours and
 * styles stay. This is the second defence. The first is the frame that shows it, whose policy forbids every script
 * but our own, forms, and requests (doors/dashboard/frame.ts). Hostile input is slow, so this runs only in the parser
 * process.
 */

/** Elements used in mail: text, tables, images and style. */
// biome-ignore format: row by row
const TAGS = [
  'a', 'abbr', 'acronym', 'address', 'area', 'article', 'aside', 'b', 'bdi', 'bdo', 'big', 'blockquote', 'body', 'br',
  'caption', 'center', 'cite', 'code', 'col', 'colgroup', 'dd', 'del', 'details', 'dfn', 'dir', 'div', 'dl', 'dt', 'em',
  'fieldset', 'figcaption', 'figure', 'font', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head', 'header', 'hgroup',
  'hr', 'html', 'i', 'img', 'ins', 'kbd', 'label', 'legend', 'li', 'main', 'map', 'mark', 'menu', 'nav', 'nobr', 'ol',
  'p', 'pre', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'section', 'small', 'span', 'strike', 'strong', 'style', 'sub',
  'summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'tt', 'u', 'ul', 'var', 'wbr',
];

/** Attributes allowed on any element: those that change its look, and `data-*`, which style sheets select by. */
// biome-ignore format: row by row
const LOOKS = [
  'align', 'valign', 'bgcolor', 'border', 'bordercolor', 'class', 'clear', 'color', 'dir', 'face', 'height', 'hidden',
  'hspace', 'id', 'lang', 'noshade', 'nowrap', 'role', 'size', 'style', 'title', 'vspace', 'width', 'aria-label',
  'aria-hidden', 'data-*',
];

/** Elements nested deeper lose their tags: the parser's time grows with the square of the depth. */
const LEVELS_MAX = 200;

/** A source that fails at once, so that the browser shows the box and the `alt` of a picture that did not load. */
const NO_PICTURE = 'data:,';
const LINK = /^\s*(https?|mailto|tel):/i;

const OPTIONS: sanitize.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    '*': LOOKS,
    html: ['xmlns'],
    body: [
      'text',
      'link',
      'vlink',
      'alink',
      'leftmargin',
      'topmargin',
      'rightmargin',
      'bottommargin',
      'marginwidth',
      'marginheight',
    ],
    a: ['href', 'name', 'rel', 'target'],
    area: ['href', 'shape', 'coords', 'alt', 'rel', 'target'],
    map: ['name'],
    img: ['src', 'alt', 'usemap'],
    table: ['cellpadding', 'cellspacing', 'frame', 'rules', 'summary'],
    td: ['colspan', 'rowspan', 'scope'],
    th: ['colspan', 'rowspan', 'scope'],
    ol: ['start', 'type', 'reversed'],
    ul: ['type'],
    li: ['value', 'type'],
    col: ['span'],
    colgroup: ['span'],
    details: ['open'],
    style: ['type', 'media'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'background'],
  allowProtocolRelative: false,
  // `style` may stay: under the frame's policy it can't load or run anything.
  allowVulnerableTags: true,
  parseStyleAttributes: false,
  // Empty values stay: without its empty `alt`, a missing picture would be shown as a box.
  nonBooleanAttributes: [],
  // Their contents are not text to read.
  nonTextTags: [
    'script',
    'style',
    'title',
    'textarea',
    'option',
    'noscript',
    'template',
    'svg',
    'math',
    'xmp',
    'iframe',
    'video',
    'audio',
    'object',
  ],
  nestingLimit: LEVELS_MAX,
};

/** Returns the HTML as a safe document, with counts of what was removed and whether it has a dark mode. */
export function makeSafeHtml(html: string, look: FrameLook): SafeHtml {
  const removed: SafeHtml['removed'] = {};
  const count = (kind: RemovedKind) => {
    removed[kind] = (removed[kind] ?? 0) + 1;
  };
  let hasDark = false;
  const resolve = (css: string) => {
    hasDark ||= hasDarkScheme(css);
    return resolveCss(css, look.dark);
  };
  const { remoteImages } = look;
  const clean = sanitize(html, {
    ...OPTIONS,
    allowedAttributes: remoteImages
      ? { ...OPTIONS.allowedAttributes, '*': [...LOOKS, 'background'] }
      : (OPTIONS.allowedAttributes as Record<string, string[]>),
    onOpenTag(name, attributes) {
      countRemoved(name, attributes, count);
      if (name === 'meta' && /^(supported-)?color-schemes?$/i.test(attributes.name ?? ''))
        hasDark ||= /\bdark\b/i.test(attributes.content ?? '');
    },
    transformTags: {
      a: openInNewTab,
      area: openInNewTab,
      img: (tagName, { src, ...rest }) => ({
        tagName,
        attribs: src === undefined ? rest : { ...rest, src: choosePicture(src, remoteImages) },
      }),
      '*': (tagName, attribs) => {
        if (attribs.style) attribs.style = resolve(attribs.style);
        if (tagName === 'style' && attribs.media) attribs.media = resolve(attribs.media);
        return { tagName, attribs };
      },
    },
  });
  const resolved = clean.replace(/(<style[^>]*>)([\s\S]*?)(?=<\/style>)/g, (_, tag: string, css: string) => {
    for (const _found of css.matchAll(/@import\b/gi)) count('sheet');
    return tag + resolve(css);
  });
  const scheme = look.dark && hasDark ? '<style>:root{color-scheme:dark}</style>' : '';
  return { doctype: readDoctype(html), html: scheme + resolved, removed, hasDark };
}

const kinds = new Map<string, RemovedKind>(
  Object.entries(removedElements).flatMap(([kind, tags]) =>
    tags.map((tag): [string, RemovedKind] => [tag, kind as RemovedKind]),
  ),
);

function countRemoved(name: string, attributes: Record<string, string>, count: (kind: RemovedKind) => void) {
  const kind = kinds.get(name);
  if (kind) count(kind);
  if (name === 'link' && /\bstylesheet\b/i.test(attributes.rel ?? '')) count('sheet');
  if (name === 'meta' && /^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '')) count('redirect');
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.length > 2 && attribute.startsWith('on')) count('script');
    if (attribute === 'href' && isScript(value)) count('script');
  }
}

/**
 * Whether a browser runs the address as a script. Browsers drop control characters before it, tabs and line ends in
 * it.
 */
function isScript(href: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop these.
  return /^javascript:/i.test(href.slice(0, 200).replace(/[\x00-\x20]/g, ''));
}

/** Makes a link show its target and open in another tab. Only anchors within the mail stay in it. */
function openInNewTab(tagName: string, { href, title, ...rest }: sanitize.Attributes): sanitize.Tag {
  if (href === undefined) return { tagName, attribs: title ? { ...rest, title } : rest };
  if (href.startsWith('#')) return { tagName, attribs: { ...rest, href } };
  if (!LINK.test(href)) return { tagName, attribs: rest };
  return {
    tagName,
    attribs: { ...rest, href, title: href, target: '_blank', rel: 'noopener noreferrer nofollow' },
  };
}

function choosePicture(src: string, remoteImages: boolean): string {
  const address = src.trim();
  if (/^(cid|data):/i.test(address)) return address;
  return remoteImages && /^https?:/i.test(address) ? address : NO_PICTURE;
}

/** Characters at the start in which to look for the document type. Only comments may come before it. */
const DOCTYPE_WITHIN = 4_096;

/** Returns the mail's document type, because it decides how browsers lay out a page. Empty if it has none. */
function readDoctype(html: string): string {
  const start = html.slice(0, DOCTYPE_WITHIN);
  const found = /<!doctype\s+html\b([^<>]*)>/i.exec(start);
  if (!found) return '';
  const before = start.slice(0, found.index).replace(/<!--[\s\S]*?-->|<\?[^>]*>/g, '');
  if (before.trim() !== '') return '';
  const ids = /^\s*public\s*["']([\w\s./:+,()-]*)["']\s*(?:["']([\w\s./:+,()~-]*)["'])?/i.exec(
    found[1] ?? '',
  );
  if (!ids) return '<!DOCTYPE html>';
  const system = ids[2] === undefined ? '' : ` "${ids[2]}"`;
  return `<!DOCTYPE html PUBLIC "${ids[1]}"${system}>`;
}
