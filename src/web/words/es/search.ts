import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: 'el remitente',
    to: 'un destinatario en Para, o la dirección a la que llegó el mensaje',
    cc: 'un destinatario en Cc',
    subject: 'el asunto',
    body: 'el texto',
    inbox: 'la dirección o el nombre del buzón',
    code: 'el código de un solo uso',
    filename: 'el nombre de un adjunto',
    is: 'si se ha leído',
    has: 'lo que contiene; link: un enlace de acceso',
    before: 'recibido antes de una fecha (UTC) o una hora ISO',
    after: 'recibido en una fecha (UTC) o una hora ISO, o después',
    larger: 'más bytes que esto, por ejemplo 200k o 2m',
    smaller: 'menos bytes que esto',
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
