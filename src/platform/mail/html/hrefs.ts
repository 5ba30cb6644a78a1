import type { Attributes, Tag } from './elements.ts';
import { scanTags, type TagVisitor } from './tag-reader.ts';

/** Open elements at which reading stops: an end tag is searched for among them. */
const DEPTH_MAX = 400;

/** Passes the address of each link in HTML on, in order, until the receiver has enough. */
export function scanHrefs(
  html: string,
  receiver: { add(url: string): void; readonly isFull: boolean },
): void {
  scanTags(html, new HrefReader(receiver));
}

class HrefReader implements TagVisitor {
  private depth = 0;

  constructor(private readonly receiver: { add(url: string): void; readonly isFull: boolean }) {}

  get isFull(): boolean {
    return this.receiver.isFull || this.depth > DEPTH_MAX;
  }

  openTag({ name }: Tag, { href }: Readonly<Attributes>): void {
    this.depth++;
    if (href && (name === 'a' || name === 'area')) this.receiver.add(href.trim().replace(/[\t\r\n]+/g, ''));
  }

  text(): void {}

  closeTag(): void {
    this.depth--;
  }
}
