/** Whether the client already has a response with one of these ETags. If-None-Match compares weakly (RFC 9110, 13.1.2). */
export function hasCurrent({ headers }: Request, etags: readonly string[]): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  return known.split(',').some((tag) => {
    const bare = tag.trim().replace(/^W\//, '');
    return bare === '*' || etags.includes(bare);
  });
}
