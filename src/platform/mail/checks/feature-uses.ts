import { type ClientFeature, features, supportDate } from './caniemail.ts';
import {
  attributeNames,
  elementNames,
  harmless,
  otherFeatures,
  pictureNames,
  typeNames,
} from './feature-names.ts';
import { formatPlace, type MailFindings, type Warning } from './findings.ts';
import type { LineCounter, OpenTag } from './markup.ts';
import { readStyleAttribute, readStyleSheet } from './styles.ts';

/** What was read of a style attribute. Kept, because mails repeat the same few hundreds of times. */
interface ReadStyle {
  uses: [slug: string, shown: string][];
  pictures: string[];
  declared: Map<string, string>;
}

const STYLES_MAX = 500;

/** Collects the features that a mail's HTML uses, each with its first place. */
export class FeatureUses {
  private readonly places = new Map<string, string>();
  private readonly styles = new Map<string, ReadStyle>();

  constructor(
    private readonly html: string,
    private readonly lines: LineCounter,
  ) {}

  /** Reads a tag, and returns the declarations of its style attribute. */
  addTag({ name, attributes, at, end }: OpenTag): ReadonlyMap<string, string> {
    const add = (slug: string | undefined) => this.add(slug, at, end);
    add(elementNames.get(name));
    for (const attribute of attributes.keys()) add(attributeNames.get(attribute));
    const type = attributes.get('type')?.toLowerCase() ?? (name === 'button' ? 'submit' : 'text');
    add(typeNames.get(`${name}:${type}`));
    const href = attributes.get('href')?.trim() ?? '';
    if (name === 'a' && href.startsWith('#')) add(otherFeatures.anchor);
    if (name === 'a' && /^mailto:/i.test(href)) add(otherFeatures.mailto);
    if (name === 'meta' && attributes.get('name')?.toLowerCase() === 'color-scheme')
      add(otherFeatures.colorSchemeMeta);
    const source = name === 'img' ? attributes.get('src') : attributes.get('background');
    if (source !== undefined) this.addPicture(source, at, end);
    const style = this.readOnce(attributes.get('style') ?? '');
    for (const [slug, shown] of style.uses) this.addShown(slug, at, shown);
    for (const url of style.pictures) this.addPicture(url, at, end);
    return style.declared;
  }

  /** @param start the offset of the style sheet in the HTML. */
  addSheet(css: string, start: number): void {
    readStyleSheet(css, {
      found: (slug, at, shown) => this.addShown(slug, start + at, shown),
      picture: (url, at) => this.addPicture(url, start + at, start + at + url.length),
    });
  }

  add(slug: string | undefined, at: number, end: number): void {
    if (slug !== undefined) this.addShown(slug, at, () => this.html.slice(at, end));
  }

  /** Returns the warnings, worst first, and the score: the mean support of all features that are used. */
  judge(): MailFindings['html'] {
    const used = [...this.places].flatMap(([slug, where]) => {
      const feature = features.get(slug);
      return feature && !harmless.has(slug) ? [{ feature, where }] : [];
    });
    const sum = used.reduce((total, { feature }) => total + countSupport(feature), 0);
    const warnings = used
      .filter(
        ({ feature }) => feature.support.full < 100 && feature.support.none + feature.support.partial > 0,
      )
      .sort(
        ({ feature: { support: one } }, { feature: { support: other } }) =>
          one.full - other.full || one.partial - other.partial,
      )
      .map(({ feature, where }) => makeWarning(feature, where));
    // Rounded down, so that only a mail that every client shows as intended gets 100.
    const score = used.length === 0 ? 100 : Math.floor(sum / used.length + 1e-9);
    return { score, warnings, data_date: supportDate };
  }

  private addPicture(url: string, at: number, end: number): void {
    const type = /^data:image\/([a-z0-9.+-]{1,40})/i.exec(url.trimStart().slice(0, 100))?.[1];
    if (type !== undefined) this.add(otherFeatures.base64, at, end);
    const path = url.slice(0, 4_000).split(/[?#]/, 1)[0] ?? '';
    const ending = type ?? /\.([a-z0-9]{2,5})$/i.exec(path.slice(-6))?.[1];
    this.add(pictureNames.get(ending?.toLowerCase() ?? ''), at, end);
  }

  private addShown(slug: string, at: number, shown: string | (() => string)): void {
    if (this.places.has(slug)) return;
    const text = typeof shown === 'string' ? shown : shown();
    this.places.set(slug, formatPlace(this.lines.lineAt(at), text));
  }

  private readOnce(css: string): ReadStyle {
    const known = this.styles.get(css);
    if (known) return known;
    const style: ReadStyle = { uses: [], pictures: [], declared: new Map() };
    if (css !== '') {
      readStyleAttribute(css, {
        found: (slug, _, shown) => style.uses.push([slug, shown]),
        picture: (url) => style.pictures.push(url),
        declared: (property, value) => style.declared.set(property, value),
      });
    }
    if (this.styles.size < STYLES_MAX) this.styles.set(css, style);
    return style;
  }
}

/** Returns the support of a feature, in percent. A client that supports it in part counts half. */
const countSupport = ({ support: { full, partial } }: ClientFeature) => full + partial / 2;

function makeWarning({ title, support, clients, partly, url }: ClientFeature, where: string): Warning {
  return { feature: title, where, support, clients, partly, url };
}
