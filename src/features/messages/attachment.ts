import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import { readCode } from '../../platform/core/thrown.ts';
import { cleanFileName } from '../../platform/mail/file-name.ts';
import type { AttachmentInfo, RawSource } from '../../platform/mail/parsed.ts';
import { findWholeMail } from '../../platform/mail/stored-mail.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { readPieces } from './raw.ts';
import type { RawRow } from './sql.ts';

/** Returns an attachment's decoded bytes, or null if the parser returned none. */
export async function readAttachmentBytes(
  services: PlatformServices,
  accountNo: number,
  raw: RawRow,
  index: number,
): Promise<Uint8Array | null> {
  const source = await openSource(services, raw);
  try {
    return await services.mailReader.attachment(source, index, accountNo);
  } finally {
    if ('file' in source) await unlink(source.file).catch(() => {});
  }
}

/** Makes a mail readable for the parser process. A large mail is written to a file, piece by piece. */
async function openSource(services: PlatformServices, raw: RawRow): Promise<RawSource> {
  const pieces = readPieces(services.store, raw);
  if (findWholeMail(raw)) return { bytes: pieces.next().value ?? new Uint8Array() };
  const path = join(services.spoolDir, newId('request'));
  const file = await open(path, 'wx', 0o600).catch((fault: unknown) => {
    throw isDiskFull(fault) ? new Failure('storage_unavailable') : fault;
  });
  try {
    for (const piece of pieces) await file.appendFile(piece);
  } catch (fault) {
    await unlink(path).catch(() => {});
    throw isDiskFull(fault) ? new Failure('storage_unavailable') : fault;
  } finally {
    await file.close();
  }
  return { file: path };
}

function isDiskFull(fault: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(readCode(fault));
}

/**
 * Returns headers that make a stranger's file harmless: a browser downloads it, and could run nothing if it showed it.
 */
export function makeAttachmentHeaders(info: AttachmentInfo): Record<string, string> {
  return {
    'content-type': makeSafeType(info.content_type),
    'content-disposition': formatDisposition(info.filename ?? `attachment-${info.index}`),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  };
}

function makeSafeType(contentType: string): string {
  const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
  const type = contentType.toLowerCase();
  return new RegExp(`^${token}/${token}$`).test(type) ? type : 'application/octet-stream';
}

/** Formats Content-Disposition (RFC 6266), with an ASCII name for old clients and the full name (RFC 8187). */
function formatDisposition(filename: string): string {
  const name = cleanFileName(filename);
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
