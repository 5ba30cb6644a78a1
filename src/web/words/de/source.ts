import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The tabs Source and Headers of a message. */
export default {
  sides: { title: 'Quelltext von', html: 'HTML', raw: 'Original' },
  wrap: 'Zeilen umbrechen',
  indent: 'Einrücken',
  copyHtml: 'HTML kopieren',
  copy: 'Quelltext kopieren',
  htmlCut: 'Nur der Anfang ist zu sehen. Der Download enthält das ganze HTML.',
  tooLarge: 'Diese Nachricht ist zu groß, um sie ganz zu lesen. Ihr Anfang steht unter „Original“.',
  rawCut: 'Nur der Anfang ist zu sehen. Der Download enthält die ganze Nachricht.',
  htmlSource: 'HTML-Quelltext',
  rawSource: 'Originaler Quelltext',
  lines: (first: number, last: number) => `Zeilen ${number(first)} bis ${number(last)}`,
  show: 'Diese Zeilen anzeigen',
  folded: (count: number) =>
    plural(count, { one: `${number(count)} Zeile`, other: `${number(count)} Zeilen` }),
  copyAll: 'Alle kopieren',
  headersCut: (count: number) =>
    `Nur die ersten ${number(count)} sind zu sehen. Der Quelltext enthält auch die übrigen.`,
  failed: 'Der Quelltext konnte nicht geladen werden.',
} satisfies Words['source'];
