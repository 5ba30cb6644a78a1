import { isAscii } from 'node:buffer';
import type { Transform } from 'node:stream';
import { MailParser, type MailParserOptions } from 'mailparser';
import { HEADER_BYTES_MAX, PARTS_MAX } from '../bounds.ts';
import { decodeUnspecific, findWestern, isPlainUtf8 } from './charset.ts';
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

/**
 * Turns off conversion between HTML and text, finding links and hashing attachments: each can take seconds. The last
 * two options are mailsplit's.
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

/** Headers whose values are read, by us or by mailparser for nested mails. */
// biome-ignore format: row by row
const READ_HEADERS = new Set([
  'from', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'message-id', 'content-id',
]);

/**
 * Does not decode headers that nobody reads: signatures and trace lines are most of a real mail's. It overrides a
 * private method; mailparser is pinned, and the corpus test would miss a subject. The bound on text
 * (platform/mail/mime/text-bound.ts) hooks in the same way.
 */
export class LenientParser extends MailParser {
  /** Whether a bound cut its text. */
  isCut = false;
  private readonly budgets = new TextBudgets();
  /** Of the part whose header section is read. */
  private fieldCharset: string | false = false;

  constructor() {
    super(OPTIONS);
    decodeLeniently(this.words, () => this.fieldCharset);
  }

  /** Whether it has a multipart that no delimiter divides. */
  get hasLostParts(): boolean {
    return hasEmptyMultipart((this as unknown as { tree: TreeNode }).tree);
  }

  private get words(): WordDecoder {
    return (this as unknown as { libmime: WordDecoder }).libmime;
  }

  protected createNode(given: SplitNode): ParserNode {
    const parent = MailParser.prototype as unknown as { createNode(given: SplitNode): ParserNode };
    repairPart(given, this.words);
    this.fieldCharset = given.charset;
    const node = parent.createNode.call(this, given);
    if (node.decoder && !node.isAttachment) {
      const budget = this.budgets.of(node);
      const decode = isKnownCharset(node.charset, this.words) ? findWestern(node.charset) : decodeUnspecific;
      if (decode) {
        const isRight = decode === decodeUnspecific ? isPlainUtf8 : isAscii;
        decodeAtEnd(node.decoder, (bytes) => (isRight(bytes) ? bytes : Buffer.from(decode(bytes))));
        // mailparser leaves text in UTF-8 as it is.
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

  /** Leaves out the blanks that mailparser puts where a text would be shown as HTML, or HTML as text. */
  protected getTextContent(): TextContent {
    const parent = MailParser.prototype as unknown as { getTextContent(): TextContent };
    const content = parent.getTextContent.call(this);
    const found: TextParts = { texts: [], htmls: [], hasInner: false };
    collectTexts((this as unknown as { tree: TreeNode }).tree, found);
    // mailparser puts the header of a mail within the mail between the texts.
    if (found.hasInner) return content;
    return { ...content, text: found.texts.join('\n'), html: found.htmls.join('<br/>\n') };
  }

  protected processHeaders(lines: HeaderLine[]): unknown {
    const parent = MailParser.prototype as unknown as { processHeaders(lines: HeaderLine[]): unknown };
    return parent.processHeaders.call(
      this,
      lines
        .filter(({ key }) => READ_HEADERS.has(key))
        .map(({ key, line }) => {
          const tidy = tidyWords(toUtf8Field(line, this.words, this.fieldCharset));
          return { key, line: ADDRESS_HEADERS.has(key) ? encodeSpecials(tidy) : tidy };
        }),
    );
  }
}

/**
 * Has the decoder of a transfer encoding return UTF-8: all at its end, when all of the text can be looked at. A stream of
 * its own for that takes a tenth of the time of a mail of 100 KB. The text still has to be cut to its bound.
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

/** What mailparser shows as text. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text/plain', 'message/delivery-status']);

interface TextContent {
  type: 'text';
  text?: string;
  html?: string;
}

/** What mailparser keeps of a part. */
interface TreeNode {
  /** False for a part without one. */
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

/** In the order of the mail; its depth is bounded (platform/mail/structure.ts). */
function collectTexts({ contentType, textContent, showMeta, children }: TreeNode, found: TextParts): void {
  if (showMeta) found.hasInner = true;
  if (textContent && contentType === 'text/html') found.htmls.push(textContent);
  if (textContent && TEXT_TYPES.has(contentType)) found.texts.push(textContent);
  for (const child of children ?? []) collectTexts(child, found);
}

const ADDRESS_HEADERS = new Set(['from', 'to', 'cc', 'bcc', 'reply-to']);
/** Reads header fields only, as the parser itself does. It is used for the addresses alone. */
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
