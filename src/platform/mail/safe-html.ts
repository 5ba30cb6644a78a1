import sanitize from 'sanitize-html';

/*
 * A stranger's HTML for a browser to show. This is the second wall: the first is the frame that it is shown in, whose
 * own policy allows no script, no form and no request (doors/dashboard/frame.ts). Pure, and slow enough on hostile input to
 * run in the parser process only.
 */

/** What mail is made of: text, tables, images, and the style that holds it together. */
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

/** Gives HTML that names no script, form, frame or other document; links open elsewhere and say where they lead. */
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
    // Style is text to the frame's policy: it may load nothing and run nothing. So `style` may stay.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    // What is in these is no text to read.
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
