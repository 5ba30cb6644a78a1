import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The sidebar's inboxes, and the list of messages. */
export default {
  inboxes: {
    title: 'Buzones',
    search: 'Buscar buzones',
    new: 'Nuevo buzón',
    unread: (count: number) => plural(count, { one: 'no leído', other: 'no leídos' }),
    public: 'público',
    catchAll: 'catch-all',
    noMatch: 'Ningún buzón coincide',
    none: 'Aún no hay buzones',
    noneInTrap: 'Con un mensaje a cualquier dirección se crea uno.',
    noneBody: 'Crear un buzón para tener una dirección que reciba correo.',
    delete: 'Eliminar buzón',
    deleteTitle: '¿Eliminar este buzón?',
    deleteBody:
      '{address} dejará de recibir correo y sus mensajes se eliminarán. La dirección queda reservada para esta cuenta, así que el buzón se puede volver a crear.',
    deleted: 'Buzón eliminado',
  },
  head: {
    compose: 'Mensaje nuevo',
    inbox: 'Buzón',
    comfortable: 'Filas cómodas',
    compact: 'Filas compactas',
    markAll: 'Marcar todo como leído',
    deleteAll: 'Eliminar todo',
    held: (count: number) =>
      plural(count, { one: `${number(count)} nuevo`, other: `${number(count)} nuevos` }),
    states: {
      live: 'En directo',
      connecting: 'Conectando…',
      lost: 'Desconectado. Reconectando…',
    },
  },
  panes: {
    sidebar: 'Ancho de la barra lateral',
    list: 'Ancho de la lista de mensajes',
    drag: 'Arrastrar para cambiar el ancho',
  },
  address: 'Dirección',
  label: 'Mensajes, los más recientes primero',
  select: (subject: string) => `Seleccionar ${subject}`,
  selectOne: 'Seleccionar mensaje',
  unread: 'No leído:',
  noSubject: '(sin asunto)',
  to: (recipient: string) => `a ${recipient}`,
  tags: (tags: string) => `Etiquetas: ${tags}`,
  link: 'enlace',
  attachments: (count: number) =>
    plural(count, { one: `${number(count)} adjunto`, other: `${number(count)} adjuntos` }),
  code: (code: string) => `código ${code}`,
  copyCode: (code: string) => `Copiar el código ${code}`,
  markRead: 'Marcar como leído',
  markUnread: 'Marcar como no leído',
  selection: {
    title: 'Mensajes seleccionados',
    count: (count: number) =>
      plural(count, { one: `${number(count)} seleccionado`, other: `${number(count)} seleccionados` }),
    all: (count: number) => `Seleccionar todo (${number(count)})`,
    clear: 'Quitar la selección',
  },
  search: {
    title: 'Buscar correo',
    clear: 'Borrar la búsqueda',
    suggestions: 'Sugerencias',
    filters: { unread: 'No leídos', code: 'Códigos', link: 'Enlaces', attachment: 'Adjuntos' },
    misread: {
      unknown: (token: string) => `«${token}:» no existe. Se ha buscado como texto.`,
      choice: (token: string, choices: string) =>
        `Tras «${token}:» va uno de estos valores: ${choices}. Se ha buscado como texto.`,
      time: (token: string) =>
        `Tras «${token}:» va una fecha como 2026-11-22 o una hora ISO. Se ha buscado como texto.`,
      size: (token: string) =>
        `Tras «${token}:» va un número de bytes como 2000, 200k o 2m. Se ha buscado como texto.`,
    },
  },
  failed: 'No se han podido cargar los mensajes',
  tryAgain: 'Reintentar',
  empty: 'Aún no hay mensajes',
  emptyBody: 'Los mensajes nuevos aparecen aquí según llegan.',
  deleted: {
    messages: (count: number) =>
      plural(count, { one: 'Mensaje eliminado', other: `${number(count)} mensajes eliminados` }),
    copies: (count: number) => `Mensaje eliminado para sus ${number(count)} destinatarios`,
    all: 'Todos los mensajes eliminados',
    matching: 'Todos los mensajes encontrados eliminados',
    askTitle: (count: number) => `¿Eliminar ${number(count)} mensajes?`,
    askBody: 'No cierres esta página hasta que se hayan eliminado.',
  },
  markedRead: (count: number) =>
    plural(count, {
      one: `${number(count)} mensaje marcado como leído`,
      other: `${number(count)} mensajes marcados como leídos`,
    }),
  notifications: {
    on: 'Notificaciones activadas',
    off: 'Notificaciones desactivadas',
    missing: 'Este navegador no admite notificaciones',
    blocked: 'Las notificaciones están bloqueadas. Se pueden permitir en los ajustes del navegador.',
  },
} satisfies Words['list'];
