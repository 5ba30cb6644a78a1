import sanitizeHtml from 'sanitize-html';
import { QUOTED_HTML_CHARS_MAX, QUOTED_HTML_LEVELS_MAX } from '../bounds.ts';

/*
 * Reduces a stranger's HTML to what an email of ours may quote: text, structure and links. No scripts, styles, forms
 * or frames. Remote pictures would tell the stranger who reads the email, so their descriptions replace them; so do
 * those of embedded pictures that are not copied. Runs only in the parser process: hostile HTML can take a few
 * hundred milliseconds.
 */

function describePicture(_: string, { alt = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  return { tagName: 'span', attribs: {}, text: alt.trim() === '' ? '' : `[${alt.trim()}]` };
}

const splitWords = (text: string) => text.split(' ');

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: splitWords(
    'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr',
  ),
  allowedAttributes: {
    a: ['href', 'title'],
    abbr: ['title'],
    bdo: ['dir'],
    col: ['span'],
    colgroup: ['span'],
    ol: ['start', 'type'],
    td: ['align', 'valign', 'colspan', 'rowspan'],
    th: ['align', 'valign', 'colspan', 'rowspan'],
    '*': ['dir', 'lang'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  // Their contents are not text to read.
  nonTextTags: splitWords(
    'head title script style textarea option select noscript template svg math object iframe',
  ),
  nestingLimit: QUOTED_HTML_LEVELS_MAX,
  transformTags: {
    img: describePicture,
  },
};

/** One of the mail's own pictures, with an id that is also safe in a header. */
const OWN_PICTURE = /^cid:[\w.@+$%=-]{1,200}$/;

const WITH_PICTURES: sanitizeHtml.IOptions = {
  ...OPTIONS,
  allowedTags: [...(OPTIONS.allowedTags as string[]), 'img'],
  allowedAttributes: { ...OPTIONS.allowedAttributes, img: ['src', 'alt', 'width', 'height'] },
  allowedSchemesByTag: { img: ['cid'] },
  transformTags: {
    img: (name, attribs) =>
      OWN_PICTURE.test(attribs.src ?? '') ? { tagName: name, attribs } : describePicture(name, attribs),
  },
};

/**
 * Sanitises HTML for a quote. The result is well formed, and cut between elements; it is empty if nothing is left, or
 * if it has become far too long (`&&&…`).
 *
 * @param pictures whether the mail's own pictures stay.
 */
export function sanitizeQuote(html: string, pictures: boolean): string {
  const options = pictures ? WITH_PICTURES : OPTIONS;
  const clean = sanitizeHtml(html.slice(0, QUOTED_HTML_CHARS_MAX), options).trim();
  return clean.length > 2 * QUOTED_HTML_CHARS_MAX ? '' : clean;
}
