import table from './caniemail.json';

/*
 * What mail programs support, as tested by caniemail.com. scripts/refresh-caniemail writes the table: a row for each
 * feature with its slug, its title, and for each client `y` (yes), `a` (partly), `n` (no) or `-` (not tested).
 */

/** How the tested clients support a feature. */
export interface ClientFeature {
  slug: string;
  title: string;
  /** Its page with notes and test results; null if caniemail.com does not list it. */
  url: string | null;
  /** Percent of the tested clients. */
  support: Support;
  /** Clients that do not support it. */
  clients: string[];
  /** Clients that support it in part. */
  partly: string[];
}

export interface Support {
  full: number;
  partial: number;
  none: number;
}

/** The day of the data, such as `2026-05-13`. */
export const supportDate = table.date;

/** No tested client runs scripts; caniemail.com has no row for what nobody tries. */
const SCRIPT: ClientFeature = {
  slug: 'html-script',
  title: '<script> element',
  url: null,
  support: { full: 0, partial: 0, none: 100 },
  clients: table.clients,
  partly: [],
};

/** Every feature, by slug. */
export const features: ReadonlyMap<string, ClientFeature> = new Map([
  ...table.features.map((row): [string, ClientFeature] => {
    const [slug = '', title = '', marks = ''] = row.split('|');
    return [slug, readFeature(slug, title, marks)];
  }),
  [SCRIPT.slug, SCRIPT],
]);

function readFeature(slug: string, title: string, marks: string): ClientFeature {
  const listed = (mark: string) => table.clients.filter((_, index) => marks[index] === mark);
  const [full, partly, clients] = [listed('y'), listed('a'), listed('n')] as const;
  const tested = full.length + partly.length + clients.length;
  const percent = (list: string[]) => (tested === 0 ? 0 : Math.round((list.length / tested) * 1000) / 10);
  return {
    slug,
    title,
    url: `https://www.caniemail.com/features/${slug}/`,
    support: { full: percent(full), partial: percent(partly), none: percent(clients) },
    clients,
    partly,
  };
}
