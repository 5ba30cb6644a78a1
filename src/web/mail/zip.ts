import { makeZip } from 'client-zip';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { apiPath } from '../base.ts';
import { words } from '../words/words.ts';
import { type Attachment, attachmentPath } from './attachment.ts';
import { nameFiles } from './file-names.ts';

/**
 * Downloads files of a message as one zip, without compression: most attachments are compressed already. They are
 * loaded one after another, so that the server holds one at a time, and the browser may keep the zip on its disk.
 */
export async function downloadZip(
  { id, received_at }: OpenedMessage,
  files: readonly Attachment[],
): Promise<void> {
  const names = nameFiles(files, words.reading.files.unnamed);
  async function* load() {
    for (const [at, { index }] of files.entries()) {
      const input = await fetch(apiPath(attachmentPath(id, index)));
      if (!input.ok) throw new Error(words.reading.files.zipFailed(names[at]!));
      yield { name: names[at]!, input, lastModified: received_at };
    }
  }
  const type = 'application/zip';
  const zip = await new Response(makeZip(load()), { headers: { 'content-type': type } }).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(zip);
  link.download = `${id}.zip`;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
