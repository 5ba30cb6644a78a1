import { fail } from '../../platform/core/failure.ts';

/** The largest batch file: 64 KB (docs/decisions.md, Verification). */
export const FILE_BYTES_MAX = 65_536;

/** Returns the text of a batch file, or fails with what is wrong with it (docs/api-v1.md, Batch, rule 7). */
export async function readUpload(file: File): Promise<string> {
  if (!/\.(csv|txt)$/i.test(file.name)) refuse('unsupported_file_type', 'must be a file named .csv or .txt');
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length > FILE_BYTES_MAX) refuse('file_too_large', `has more than ${FILE_BYTES_MAX} bytes`);
  if (bytes.includes(0)) refuse('malformed_file', 'contains a NUL byte');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('malformed_file', 'is not UTF-8');
  }
}

function refuse(code: 'unsupported_file_type' | 'file_too_large' | 'malformed_file', reason: string): never {
  fail(code, { fields: { file: [reason] } });
}
