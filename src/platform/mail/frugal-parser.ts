import { MailParser, type MailParserOptions } from 'mailparser';
import { HEADER_BYTES_MAX, PARTS_MAX } from './bounds.ts';
import type { HeaderLine } from './plain-headers.ts';
import { boundText, type MadeNode, TextBudgets } from './text-bound.ts';

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
 * (platform/mail/text-bound.ts) hooks in the same way.
 */
export class FrugalParser extends MailParser {
  /** Whether a bound cut its text. */
  isCut = false;
  private readonly budgets = new TextBudgets();

  constructor() {
    super(OPTIONS);
  }

  protected createNode(given: unknown): MadeNode {
    const parent = MailParser.prototype as unknown as { createNode(given: unknown): MadeNode };
    const node = parent.createNode.call(this, given);
    if (node.decoder && !node.isAttachment) {
      boundText(node.decoder, this.budgets.of(node), () => {
        this.isCut = true;
      });
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
        .map((line) => (ADDRESS_HEADERS.has(line.key) ? { ...line, line: encodeSpecials(line.line) } : line)),
    );
  }
}

/** What mailparser shows as text. */
const TEXT_TYPES: ReadonlySet<string | undefined> = new Set(['text/plain', 'message/delivery-status']);

interface TextContent {
  type: 'text';
  text?: string;
  html?: string;
}

/** What mailparser keeps of a part. */
interface TreeNode {
  contentType?: string;
  textContent?: string;
  showMeta?: boolean;
  children?: TreeNode[];
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
/** The charset is bounded, and the text ends at the next question mark: linear in a header that a stranger wrote. */
const Q_WORD = /(=\?[^?\s]{1,40}\?q\?)([^?\r\n]*)(?=\?=)/gi;

/**
 * Encodes the characters within encoded words that separate addresses. Many senders leave them, although RFC 2047 5 (3)
 * forbids that: `=?utf-8?q?Shop:_Orders?= <a@shop.example>`. mailparser splits addresses before it decodes names, so it
 * would lose half the name, or mistake an address in the name for the sender's.
 */
function encodeSpecials(line: string): string {
  if (!line.includes('=?')) return line;
  return line.replace(
    Q_WORD,
    (_, start: string, text: string) =>
      start +
      text.replace(
        /["(),:;<>\\]/g,
        (special) => `=${special.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
      ),
  );
}

/** Reads header fields only, as the parser itself does. It is used for the addresses alone. */
export class HeaderReader extends FrugalParser {
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
