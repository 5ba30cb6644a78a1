/** Whether the client has one of these strong tags already (RFC 9110, 13.1.2: If-None-Match compares weakly). */
export function hasCurrent({ headers }: Request, etags: readonly string[]): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  return known.split(',').some((tag) => {
    const bare = tag.trim().replace(/^W\//, '');
    return bare === '*' || etags.includes(bare);
  });
}
