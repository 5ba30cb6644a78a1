import type { Words } from '../dictionary.ts';

/** The search of messages, and what it suggests. */
export default {
  title: 'Buscar correo',
  clear: 'Borrar la búsqueda',
  suggestions: 'Sugerencias',
  filters: { unread: 'No leídos', code: 'Códigos', link: 'Enlaces', attachment: 'Adjuntos' },
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
  misread: {
    unknown: (token: string) => `«${token}:» no existe. Se ha buscado como texto.`,
    choice: (token: string, choices: string) =>
      `Tras «${token}:» va uno de estos valores: ${choices}. Se ha buscado como texto.`,
    time: (token: string) =>
      `Tras «${token}:» va una fecha como 2026-11-22 o una hora ISO. Se ha buscado como texto.`,
    size: (token: string) =>
      `Tras «${token}:» va un número de bytes como 2000, 200k o 2m. Se ha buscado como texto.`,
  },
  noMatch: {
    title: 'Ningún mensaje coincide',
    body: 'Deben coincidir todas las palabras y filtros. Conviene probar con menos, o con parte de una palabra.',
    without: (term: string) => `Sin ${term}`,
    everywhere: 'Buscar en todo el correo',
    searched: (characters: string) =>
      `Se ha buscado en: asunto, remitente, destinatarios, códigos y los primeros ${characters} caracteres del texto.`,
  },
} satisfies Words['search'];
