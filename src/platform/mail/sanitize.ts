import sanitizeHtml from 'sanitize-html';
import { QUOTED_HTML_CHARS_MAX, QUOTED_HTML_LEVELS_MAX } from './bounds.ts';

/*
 * A stranger's html as it may stand in an email of ours: text, structure and links. No script, style, form or frame;
 * no picture either, since remote ones tell their sender who reads, and those of the mail do not come along: their
 * description stands instead. Runs in the parser process only: hostile html can take it some hundred milliseconds.
 */

const words = (text: string) => text.split(' ');

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: words(
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
  // What is in these is no text to read.
  nonTextTags: words(
    'head title script style textarea option select noscript template svg math object iframe',
  ),
  nestingLimit: QUOTED_HTML_LEVELS_MAX,
  transformTags: {
    img: (_, { alt = '' }) => ({
      tagName: 'span',
      attribs: {},
      text: alt.trim() === '' ? '' : `[${alt.trim()}]`,
    }),
  },
};

/** Well formed whatever was given, and cut between elements; empty when nothing is left, or far too much (`&&&…`). */
export function sanitize(html: string): string {
  const clean = sanitizeHtml(html.slice(0, QUOTED_HTML_CHARS_MAX), OPTIONS).trim();
  return clean.length > 2 * QUOTED_HTML_CHARS_MAX ? '' : clean;
}
