const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

/**
 * Returns roughly what a reader of the HTML sees, in linear time. visible-text.ts reads more closely, and
 * slower.
 */
export function stripHtml(html: string): string {
  return html
    .split(/<(?=style\b|script\b|head\b)/i)
    .map((piece, index) =>
      index === 0 ? piece : piece.replace(/^[\s\S]*?<\/(?:style|script|head)\s*>/i, ' '),
    )
    .join(' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(#39|[a-z]+);/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);
}
