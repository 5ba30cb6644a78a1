/** Reads the TXT record of a DKIM key (RFC 6376, section 3.6.1). */

/** Whether the DNS has exactly this key, usable for mail, and no other that a verifier might use instead. */
export function matchesDkimKey(wanted: string, found: readonly string[]): boolean {
  const keys = found.map(readTags).filter((tags) => tags.has('p'));
  const p = readTags(wanted).get('p');
  // Of several records, a verifier may use any (RFC 6376, section 3.6.2.2).
  return keys.length > 0 && keys.every((tags) => tags.get('p') === p && isUsable(tags));
}

function isUsable(tags: ReadonlyMap<string, string>): boolean {
  const allowsValue = (tag: string, values: readonly string[]) =>
    (tags.get(tag)?.split(':') ?? values).some((value) => values.includes(value));
  return (
    (tags.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (tags.get('k') ?? 'rsa') === 'rsa' &&
    allowsValue('h', ['sha256']) &&
    allowsValue('s', ['*', 'email'])
  );
}

/**
 * Removes white space in values: it means nothing, and some providers' forms put it between the strings of a record.
 */
function readTags(text: string): Map<string, string> {
  const parts = text.split(';').map((part) => part.replace(/[\s"]/g, ''));
  return new Map(
    parts
      .filter((part) => part.includes('='))
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
}
