import type { Transform } from 'node:stream';
import { MailParser, type MailParserOptions } from 'mailparser';
import { HEADER_BYTES_MAX, PARTS_MAX } from '../bounds.ts';
import { decodeUnspecific, findSevenBit, findWestern, isPlainAscii, isPlainUtf8 } from './charset.ts';
import {
  decodeLeniently,
  encodeSpecials,
  isKnownCharset,
  tidyWords,
  toUtf8Field,
  type WordDecoder,
} from './encoded-words.ts';
import type { HeaderLine } from './found-mail.ts';
import { readStrayLines, repairPart, type SplitNode } from './sloppy-parts.ts';
import { boundText, type ParserNode, TextBudgets } from './text-bound.ts';

/*
 * mailparser, with what the mail of strangers needs:
 *
 * - It decodes only the headers that somebody reads: signatures and trace lines are most of a real mail's.
 * - It bounds texts before they are decoded (text-bound.ts).
 * - It decides charsets in charset.ts, and reads encoded words that break the rules (encoded-words.ts).
 * - It repairs parts whose headers can't be true (sloppy-parts.ts).
 * - It joins only texts with texts and HTML with HTML. mailparser leaves blanks where it would convert one to the
 *   other.
 *
 * For that it overrides private methods, so mailparser is pinned to one version. The corpus tests would notice a
 * method that is no longer called.
 */

/**
 * Turns off the conversion between HTML and text, finding links, and hashing attachments: each can take seconds. The
 * last two options are mailsplit's.
 */
const OPTIONS: MailParserOptions & { maxHeadSize: number; maxChildNodes: number } = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  checksumAlgo: false,
  maxHeadSize: HEADER_BYTES_MAX,
  maxChildNodes: PARTS_MAX,
};

/** The headers whose values are read, by parse.ts or, of a mail within the mail, by mailparser. */
// biome-ignore format: row by row
const READ_HEADERS = new Set([
  'from', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'message-id', 'content-id',
]);

const ADDRESS_HEADERS = new Set(['from', 'to', 'cc', 'bcc', 'reply-to']);

/** What is private in mailparser, and used or overridden here. */
interface Internals {
  tree: TreeNode;
  libmime: WordDecoder;
  createNode(given: SplitNode): ParserNode;
  getTextContent(): TextContent;
  processHeaders(lines: HeaderLine[]): unknown;
}

const inherited = MailParser.prototype as unknown as Internals;

export class LenientParser extends MailParser {
  /** Whether a bound cut a text. */
  isCut = false;
  private readonly budgets = new TextBudgets();
  /** The charset of the part whose header section is being read. */
  private fieldCharset: string | false = false;

  constructor() {
    super(OPTIONS);
    decodeLeniently(this.words, () => this.fieldCharset);
  }

  /** Whether the mail has a multipart without a part. Known at the end. */
  get hasLostParts(): boolean {
    return hasEmptyMultipart(this.internals.tree);
  }

  private get internals(): Internals {
    return this as unknown as Internals;
  }

  private get words(): WordDecoder {
    return this.internals.libmime;
  }

  protected createNode(given: SplitNode): ParserNode {
    repairPart(given, this.words);
    this.fieldCharset = given.charset;
    const node = inherited.createNode.call(this, given);
    if (node.decoder && !node.isAttachment) {
      const budget = this.budgets.of(node);
      const sevenBit = findSevenBit(node.charset);
      const known = isKnownCharset(node.charset, this.words) ? findWestern(node.charset) : decodeUnspecific;
      const decode = sevenBit ?? known;
      if (decode) {
        const isUtf8Already = decode === decodeUnspecific ? isPlainUtf8 : isPlainAscii;
        const mayKeep = (bytes: Buffer) => !sevenBit && isUtf8Already(bytes);
        decodeAtEnd(node.decoder, (bytes) => (mayKeep(bytes) ? bytes : Buffer.from(decode(bytes))));
        // mailparser does not decode text in UTF-8 again.
        node.charset = 'utf-8';
      }
      boundText(node.decoder, budget, () => {
        this.isCut = true;
      });
      const stray = readStrayLines(given);
      if (stray !== '') node.decoder.write(Buffer.from(`${stray}\r\n`, 'latin1'));
    }
    return node;
  }

  /** Leaves out the blanks that mailparser inserts where it would show a text as HTML, or HTML as text. */
  protected getTextContent(): TextContent {
    const content = inherited.getTextContent.call(this);
    const found: TextParts = { texts: [], htmls: [], hasInner: false };
    collectTexts(this.internals.tree, found);
    // Between the texts, mailparser puts the header of a mail within the mail.
    if (found.hasInner) return content;
    return { ...content, text: found.texts.join('\n'), html: found.htmls.join('<br/>\n') };
  }

  protected processHeaders(lines: HeaderLine[]): unknown {
    const read = lines
      .filter(({ key }) => READ_HEADERS.has(key))
      .map(({ key, line }) => {
        const tidy = tidyWords(toUtf8Field(line, this.words, this.fieldCharset));
        return { key, line: ADDRESS_HEADERS.has(key) ? encodeSpecials(tidy) : tidy };
      });
    return inherited.processHeaders.call(this, read);
  }
}

/**
 * Makes the decoder of a transfer encoding return UTF-8, all of it at the end, because the charset depends on the
 * whole text. A separate stream would take a tenth of the time of a mail of 100 KB. The text still has to be cut to
 * its bound.
 */
function decodeAtEnd(decoder: Transform, toUtf8: (bytes: Buffer) => Buffer): void {
  const chunks: Uint8Array[] = [];
  const push = decoder.push.bind(decoder);
  decoder.push = (chunk: Uint8Array | null): boolean => {
    if (chunk !== null) return chunks.push(chunk) > 0;
    const bytes = Buffer.concat(chunks);
    if (bytes.length > 0) push(toUtf8(bytes));
    return push(null);
  };
}

/** Content types that mailparser shows as text. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text/plain', 'message/delivery-status']);

interface TextContent {
  type: 'text';
  text?: string;
  html?: string;
}

/** A part in mailparser's tree. */
interface TreeNode {
  /** False if the part has none. */
  contentType?: string | false;
  textContent?: string;
  showMeta?: boolean;
  children?: TreeNode[];
}

function hasEmptyMultipart({ contentType, children = [] }: TreeNode): boolean {
  if (String(contentType).startsWith('multipart/') && children.length === 0) return true;
  return children.some(hasEmptyMultipart);
}

interface TextParts {
  texts: string[];
  htmls: string[];
  hasInner: boolean;
}

/** Collects texts in the order of the mail, whose depth is bounded (platform/mail/structure.ts). */
function collectTexts({ contentType, textContent, showMeta, children }: TreeNode, found: TextParts): void {
  if (showMeta) found.hasInner = true;
  if (textContent && contentType === 'text/html') found.htmls.push(textContent);
  if (textContent && TEXT_TYPES.has(contentType)) found.texts.push(textContent);
  for (const child of children ?? []) collectTexts(child, found);
}

/** Reads header fields without a mail, as the parser itself does. Leaves out the HTML and text forms of addresses. */
export class HeaderReader extends LenientParser {
  readAll(lines: HeaderLine[]): Map<string, unknown> {
    return this.processHeaders(lines) as Map<string, unknown>;
  }

  override getAddressesHTML(): string {
    return '';
  }

  override getAddressesText(): string {
    return '';
  }
}
