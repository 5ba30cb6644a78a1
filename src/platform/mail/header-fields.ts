/** The fields of a header section by name, in lower case. Their values are unfolded. Keeps ten of each name. */
export class HeaderFields {
  private readonly values = new Map<string, string[]>();

  constructor(head: string) {
    for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      const name = line.slice(0, colon).trim().toLowerCase();
      this.values.set(name, [...(this.values.get(name) ?? []).slice(0, 9), line.slice(colon + 1).trim()]);
    }
  }

  all(name: string): string[] {
    return this.values.get(name) ?? [];
  }
}
