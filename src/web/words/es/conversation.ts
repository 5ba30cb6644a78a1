import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** A conversation, and the dialogs that write an email. */
export default {
  thread: {
    title: (count: number) => `Conversación de ${number(count)} mensajes`,
    received: 'Recibido',
    sent: 'Enviado',
    to: (name: string) => `a ${name}`,
    later: 'Cargar mensajes posteriores',
  },
  letter: {
    about: 'El mensaje se envía desde {address}.',
    to: 'Para',
    cc: 'Cc',
    subject: 'Asunto',
    text: 'Mensaje',
    attach: 'Adjuntar archivos…',
    remove: (name: string) => `Quitar ${name}`,
    tooMuch: (files: number, bytes: string) => `Como máximo ${number(files)} archivos y ${bytes} en total.`,
    gone: 'No se ha enviado: el mensaje o su buzón se ha eliminado. Copia el texto antes de cerrar.',
    lost: (names: string) => `Un borrador no conserva los archivos adjuntos. Vuelve a adjuntar: ${names}`,
    send: 'Enviar',
    queued: 'Mensaje en cola',
  },
  reply: {
    title: 'Responder',
    about: 'Para {recipient}, desde {address}.',
    all: 'Responder a todos los destinatarios',
  },
  compose: 'Mensaje nuevo',
  forwarding: {
    title: 'Reenviar mensaje',
    note: 'Nota',
    noteHint: 'Se añade encima del mensaje.',
    way: 'Mensaje original',
    ways: {
      quoted: 'Citado, sin sus adjuntos',
      kept: 'Citado, con sus adjuntos',
      attached: 'Como adjunto, sin cambios',
    },
  },
} satisfies Words['conversation'];
