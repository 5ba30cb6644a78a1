import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** A conversation, and the dialogs that write an email. */
export default {
  thread: {
    title: (count: number) => `Conversation de ${number(count)} messages`,
    received: 'Reçu',
    sent: 'Envoyé',
    to: (name: string) => `à ${name}`,
    later: 'Charger les messages suivants',
  },
  letter: {
    about: 'Le message est envoyé depuis {address}.',
    to: 'À',
    cc: 'Cc',
    subject: 'Objet',
    text: 'Message',
    attach: 'Joindre des fichiers…',
    remove: (name: string) => `Retirer ${name}`,
    tooMuch: (files: number, bytes: string) => `Au plus ${number(files)} fichiers, ${bytes} en tout.`,
    gone: 'Pas envoyé : le message ou sa boîte a été supprimé. Copier le texte avant de fermer.',
    lost: (names: string) => `Un brouillon ne garde pas les fichiers joints. À joindre de nouveau : ${names}`,
    send: 'Envoyer',
    queued: 'Message mis en file',
  },
  reply: {
    title: 'Répondre',
    about: 'À {recipient}, depuis {address}.',
    all: 'Répondre à tous les destinataires',
  },
  compose: 'Nouveau message',
  forwarding: {
    title: 'Transférer le message',
    note: 'Note',
    noteHint: 'Ajoutée au-dessus du message.',
    way: 'Message d’origine',
    ways: {
      quoted: 'Cité, sans ses pièces jointes',
      kept: 'Cité, avec ses pièces jointes',
      attached: 'En pièce jointe, inchangé',
    },
  },
} satisfies Words['conversation'];
