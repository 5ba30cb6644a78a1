const NAME_CHARS_MAX = 200;

/**
 * Removes folders and control, direction and hidden characters from a file's name, and keeps its last 200 characters.
 */
export function cleanFileName(filename: string): string {
  const base = filename.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const clean = base.replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu, '').replace(/^[\s.]+|[\s.]+$/g, '');
  return [...clean].slice(-NAME_CHARS_MAX).join('') || 'attachment';
}
