import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The tabs Source and Headers of a message. */
export default {
  sides: { title: 'Código fuente de', html: 'HTML', raw: 'Original' },
  wrap: 'Ajustar líneas',
  indent: 'Sangrar',
  copyHtml: 'Copiar HTML',
  copy: 'Copiar código fuente',
  htmlCut: 'Solo se muestra el principio. La descarga contiene todo el HTML.',
  tooLarge: 'Este mensaje es demasiado grande para leerlo entero. «Original» muestra el principio.',
  rawCut: 'Solo se muestra el principio. La descarga contiene el mensaje entero.',
  htmlSource: 'Código fuente HTML',
  rawSource: 'Código fuente original',
  lines: (first: number, last: number) => `Líneas ${number(first)} a ${number(last)}`,
  show: 'Mostrar estas líneas',
  folded: (count: number) =>
    plural(count, { one: `${number(count)} línea`, other: `${number(count)} líneas` }),
  copyAll: 'Copiar todo',
  headersCut: (count: number) =>
    `Solo se muestran las ${number(count)} primeras. El código fuente contiene las demás.`,
  failed: 'No se ha podido cargar el código fuente.',
} satisfies Words['source'];
