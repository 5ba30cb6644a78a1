import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

export default {
  hold: {
    title: 'Aprobación',
    on: 'Activada. Los correos de los miembros y de sus claves de API esperan a que un propietario los apruebe.',
    off: 'Desactivada. Al activarla, un propietario aprueba lo que envían los miembros y sus claves de API.',
    inboxOn:
      'Activada para este buzón. Los correos que los miembros y sus claves de API envían desde aquí esperan a que un propietario los apruebe.',
    inboxOff:
      'Desactivada para este buzón. Al activarla, un propietario aprueba lo que los miembros y sus claves de API envían desde aquí.',
    waiting: 'Pendientes de aprobación',
    asked: (by: string) => `Solicitado por ${by}`,
    until: (time: string) => `se rechaza el ${time} si no se aprueba`,
    review: 'Revisar',
    reviewOne: (subject: string) => `Revisar ${subject}`,
    to: 'Se envía a',
    approve: 'Aprobar y enviar',
    reject: 'Rechazar',
    reason: 'Motivo del rechazo (opcional)',
    approved: 'Aprobado. El correo está en camino.',
    rejected: 'Rechazado. Nadie recibe el correo.',
  },
  senders: {
    about: 'Quién puede escribir a cada buzón. Lo que las listas retienen se guarda y se puede aceptar aquí.',
    none: 'Aún no hay buzones',
    find: 'Buscar buzón',
    who: 'Quién puede escribir',
    everyone: 'Todos, excepto los remitentes bloqueados',
    allowedOnly: 'Solo remitentes permitidos con identidad verificada',
    allow: 'Remitentes permitidos',
    allowHint: 'Uno por línea: ann@example.com, example.com o *.example.com para todo lo que hay debajo.',
    block: 'Remitentes bloqueados',
    blockHint: 'Con las mismas formas. Decide la entrada más precisa.',
    save: 'Guardar',
    saved: 'Guardado. Se aplica al correo nuevo.',
    withheld: 'Mensajes retenidos',
    withheldAbout:
      'Guardados, pero no se muestran en ningún otro lugar. Acepta un mensaje para ponerlo en el buzón.',
    noneWithheld: 'No hay mensajes retenidos',
    reasons: {
      blocked: 'bloqueado',
      not_allowed: 'no permitido',
      unproven: 'en verificación',
      unauthenticated: 'sin verificar',
    },
    read: 'Leer',
    readOne: (subject: string) => `Leer ${subject}`,
    accept: 'Aceptar',
    acceptOne: (subject: string) => `Aceptar ${subject}`,
    deleteOne: (subject: string) => `Eliminar ${subject}`,
    accepted: 'Aceptado. El mensaje está en el buzón.',
    more: (count: number) => `Se muestran los primeros ${number(count)}.`,
  },
} satisfies Words['contacts'];
