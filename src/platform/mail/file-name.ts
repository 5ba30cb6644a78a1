const NAME_CHARS_MAX = 200;

/** A file's name without folders, control, direction and hidden characters, at most 200 characters of it. */
export function cleanFileName(filename: string): string {
  const base = filename.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const clean = base.replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu, '').replace(/^[\s.]+|[\s.]+$/g, '');
  return [...clean].slice(-NAME_CHARS_MAX).join('') || 'attachment';
}
