import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The tabs Source and Headers of a message. */
export default {
  sides: { title: 'Source de', html: 'HTML', raw: 'Brut' },
  wrap: 'Retour à la ligne',
  indent: 'Indenter',
  copyHtml: 'Copier le HTML',
  copy: 'Copier la source',
  htmlCut: 'Seul le début est affiché. Le téléchargement contient tout le HTML.',
  tooLarge: 'Ce message est trop volumineux pour être lu en entier. « Brut » en montre le début.',
  rawCut: 'Seul le début est affiché. Le téléchargement contient tout le message.',
  htmlSource: 'Source HTML',
  rawSource: 'Source brute',
  lines: (first: number, last: number) => `Lignes ${number(first)} à ${number(last)}`,
  show: 'Afficher ces lignes',
  folded: (count: number) =>
    plural(count, { one: `${number(count)} ligne`, other: `${number(count)} lignes` }),
  copyAll: 'Tout copier',
  headersCut: (count: number) =>
    `Seuls les ${number(count)} premiers sont affichés. La source contient les autres.`,
  failed: 'La source n’a pas pu être chargée.',
} satisfies Words['source'];
