import { fail, failField } from '../../platform/core/failure.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import { findContentTypeFault, guessContentType } from '../../platform/mail/attachment-type.ts';
import type { DraftAttachment } from '../../platform/mail/compose.ts';
import { cleanFileName } from '../../platform/mail/file-name.ts';
import type { AttachmentInfo } from '../../platform/mail/parsed.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { outbound as rules } from '../../rules/outbound.ts';
import { readAttachmentBytes } from '../messages/attachment.ts';
import { readPieces } from '../messages/raw.ts';
import { findOwnRaw, type RawRow } from '../messages/sql.ts';
import type { AttachmentEntry } from './bodies/wire.ts';

const FIELD = 'attachments';
/** Before content longer than this is decoded, other work gets a turn of the event loop. */
const LARGE_CHARS = 1024 * 1024;
const ANY_TYPE = 'application/octet-stream';

/** The parts of a request that reading attachments needs. */
export interface Reader {
  services: PlatformServices;
  caller: { account: { no: number } };
  /** Awaited before many megabytes are read into memory (platform/http/route.ts). */
  takeRoom(): Promise<void>;
}

/** Fails with a 422 that names the entry. */
type Refuse = (reason: string) => never;

/** Reads the attachments of one email, in order. Checks their total size before reading each into memory. */
export class Attachments {
  readonly read: DraftAttachment[] = [];
  private bytes = 0;

  constructor(private readonly reader: Reader) {}

  /** Adds those that a request lists. Fails with a 422 that names the wrong entry, or 413 if they are too large. */
  async addGiven(given: readonly AttachmentEntry[]): Promise<void> {
    for (const [at, entry] of given.entries()) {
      const refuse: Refuse = (reason) => failField(FIELD, `entry ${at + 1} ${reason}`);
      const { content, message_id } = entry;
      if (content !== undefined && message_id !== undefined) refuse('has content and message_id');
      if (content !== undefined) {
        // Decoding takes a millisecond per megabyte.
        if (content.length > LARGE_CHARS) await nextTurn();
        this.addContent(entry, content, refuse);
      } else if (message_id !== undefined) {
        await this.addReceived(entry, message_id, refuse);
      } else refuse('needs content, or message_id and index');
    }
  }

  /** Adds those of a received message, including the pictures that `html` shows as `cid:`. */
  async addKept(message: { id: string }, infos: readonly AttachmentInfo[], html: string): Promise<void> {
    if (infos.length === 0) return;
    if (infos.length > rules.keptAttachmentsMax) {
      failField(
        'include_attachments',
        `keeps at most ${rules.keptAttachmentsMax} attachments; use as_attachment`,
      );
    }
    const raw = this.findRaw(message.id) ?? fail('not_found');
    for (const info of infos) {
      const bytes = await this.readReceived(raw, info);
      this.read.push({
        filename: cleanFileName(info.filename ?? `attachment-${info.index}`),
        content_type: makeSafeType(info.content_type),
        bytes,
        content_id: findShownId(info, html),
      });
    }
  }

  /** Adds a whole message, byte for byte as it was received. */
  async addMessage(message: { id: string; subject: string }): Promise<void> {
    const raw = this.findRaw(message.id) ?? fail('not_found');
    this.count(raw.size);
    await this.reader.takeRoom();
    this.read.push({
      filename: `${cleanFileName(message.subject.replace(/[/\\]/g, '_'))}.eml`,
      content_type: 'message/rfc822',
      bytes: Buffer.concat([...readPieces(this.reader.services.store, raw)], raw.size),
      content_id: null,
    });
  }

  private addContent(entry: AttachmentEntry, content: string, refuse: Refuse): void {
    if (entry.index !== undefined) refuse('has an index without message_id');
    if (entry.filename === undefined) refuse('has no filename');
    const filename = cleanFileName(entry.filename);
    let bytes = new Uint8Array();
    try {
      bytes = Uint8Array.fromBase64(content, { lastChunkHandling: 'strict' });
    } catch {
      refuse('has content that is not base64 with padding');
    }
    this.count(bytes.length);
    const contentType = entry.content_type ?? guessContentType(filename);
    this.read.push({ filename, content_type: contentType, bytes, content_id: null });
  }

  private async addReceived(entry: AttachmentEntry, messageId: string, refuse: Refuse): Promise<void> {
    if (entry.index === undefined) refuse('has no index');
    const raw = this.findRaw(messageId) ?? refuse('names a message that is not yours');
    const info =
      readContent(raw).attachments.find(({ index }) => index === entry.index) ??
      refuse(`names attachment ${entry.index}, which the message does not have`);
    const bytes = await this.readReceived(raw, info);
    this.read.push({
      filename: cleanFileName(entry.filename ?? info.filename ?? `attachment-${info.index}`),
      content_type: entry.content_type ?? makeSafeType(info.content_type),
      bytes,
      content_id: null,
    });
  }

  private findRaw(messageId: string): RawRow | null {
    const { services, caller } = this.reader;
    return findOwnRaw(services.store, caller.account.no, messageId);
  }

  private async readReceived(raw: RawRow, info: AttachmentInfo): Promise<Uint8Array> {
    const { services, caller, takeRoom } = this.reader;
    this.count(info.size);
    await takeRoom();
    const bytes = await readAttachmentBytes(services, caller.account.no, raw, info.index);
    if (!bytes) throw new Error(`attachment ${info.index} of ${raw.id} could not be read`);
    return bytes;
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > rules.attachmentsBytesMax) {
      const reason = `have more than ${rules.attachmentsBytesMax} bytes in all`;
      fail('payload_too_large', { fields: { [FIELD]: [reason] } });
    }
  }
}

/** Returns a stranger's content type if it is safe in our header, or else the type for any bytes. */
function makeSafeType(contentType: string): string {
  const type = contentType.toLowerCase();
  return findContentTypeFault(type) === null ? type : ANY_TYPE;
}

/** Returns the Content-ID of an attachment that the HTML shows; null for any other, which becomes a file of its own. */
function findShownId({ content_id }: AttachmentInfo, html: string): string | null {
  const id = content_id?.replace(/^<|>$/g, '') ?? '';
  return /^[\w.@+$%=-]{1,200}$/.test(id) && html.includes(`"cid:${id}"`) ? id : null;
}
