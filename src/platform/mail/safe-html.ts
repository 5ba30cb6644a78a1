import sanitize from 'sanitize-html';

/*
 * A stranger's HTML, made safe for a browser. This is the second defence: the first is the frame that shows it, whose
 * policy forbids scripts, forms and requests (doors/dashboard/frame.ts). Pure, but slow on hostile input, so it runs
 * only in the parser process.
 */

/** Elements used in mail: text, tables, images and style. */
// biome-ignore format: row by row
const TAGS = [
  'a', 'abbr', 'address', 'article', 'aside', 'b', 'bdi', 'bdo', 'big', 'blockquote', 'body', 'br', 'caption',
  'center', 'cite', 'code', 'col', 'colgroup', 'dd', 'del', 'details', 'dfn', 'div', 'dl', 'dt', 'em',
  'figcaption', 'figure', 'font', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'img',
  'ins', 'kbd', 'li', 'main', 'mark', 'ol', 'p', 'pre', 'q', 's', 'samp', 'section', 'small', 'span',
  'strike', 'strong', 'style', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr',
  'tt', 'u', 'ul', 'var', 'wbr',
];

// biome-ignore format: row by row
const LOOKS = [
  'align', 'valign', 'bgcolor', 'border', 'class', 'color', 'dir', 'face', 'height', 'id',
  'lang', 'nowrap', 'role', 'size', 'style', 'title', 'width', 'aria-label', 'aria-hidden',
];

/** Returns HTML without scripts, forms, frames and other documents; links open elsewhere and show their target. */
export function safeHtml(html: string, remoteImages: boolean): string {
  const remote = remoteImages ? ['http', 'https'] : [];
  return sanitize(html, {
    allowedTags: TAGS,
    allowedAttributes: {
      '*': remoteImages ? [...LOOKS, 'background'] : LOOKS,
      a: ['href', 'rel', 'target'],
      img: ['src', 'alt'],
      table: ['cellpadding', 'cellspacing'],
      td: ['colspan', 'rowspan', 'scope'],
      th: ['colspan', 'rowspan', 'scope'],
      ol: ['start', 'type'],
      ul: ['type'],
      li: ['value'],
      col: ['span'],
      colgroup: ['span'],
      style: ['type', 'media'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: [...remote, 'cid', 'data'] },
    allowedSchemesAppliedToAttributes: ['href', 'src'],
    allowProtocolRelative: false,
    // `style` may stay: under the frame's policy it can't load or run anything.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    // Their contents are not text to read.
    nonTextTags: ['script', 'style', 'title', 'textarea', 'option', 'noscript', 'template', 'svg', 'math'],
    nestingLimit: 200,
    transformTags: {
      a: (tagName, { href, title, ...rest }) => ({
        tagName,
        attribs: {
          ...rest,
          ...(href === undefined ? {} : { href }),
          title: /^(https?|mailto|tel):/i.test(href ?? '') ? (href ?? '') : (title ?? ''),
          target: '_blank',
          rel: 'noopener noreferrer nofollow',
        },
      }),
    },
  });
}
