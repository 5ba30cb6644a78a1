import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: 'el remitente',
    to: 'un destinatario o la dirección de llegada',
    cc: 'un destinatario en Cc',
    subject: 'el asunto',
    body: 'el texto',
    inbox: 'la dirección o el nombre del buzón',
    code: 'el código de un solo uso',
    filename: 'el nombre de un adjunto',
    is: 'leído o no leído',
    has: 'código, enlace, adjunto o HTML',
    before: 'antes de una fecha (UTC) u hora ISO',
    after: 'desde una fecha (UTC) u hora ISO',
    larger: 'mayor que: 200k, 2m',
    smaller: 'menor que: 200k, 2m',
    tag: 'tiene esta etiqueta',
  },
  days: { today: 'hoy', yesterday: 'ayer', week: 'hace una semana', month: 'hace un mes' },
  noMatch: {
    title: 'Ningún mensaje coincide',
    body: 'Deben coincidir todas las palabras y filtros. Conviene probar con menos, o con parte de una palabra.',
    without: (term: string) => `Sin ${term}`,
    everywhere: 'Buscar en todo el correo',
    searched: (characters: string) =>
      `Se ha buscado en: asunto, remitente, destinatarios, códigos y los primeros ${characters} caracteres del texto.`,
  },
} satisfies Words['search'];
