import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** A conversation, and the dialogs that write an email. */
export default {
  thread: {
    title: (count: number) => `Unterhaltung aus ${number(count)} Nachrichten`,
    received: 'Empfangen',
    sent: 'Gesendet',
    to: (name: string) => `an ${name}`,
    later: 'Spätere Nachrichten laden',
  },
  letter: {
    about: 'Die Nachricht wird von {address} gesendet.',
    to: 'An',
    cc: 'Cc',
    subject: 'Betreff',
    text: 'Nachricht',
    attach: 'Dateien anhängen …',
    remove: (name: string) => `${name} entfernen`,
    tooMuch: (files: number, bytes: string) => `Höchstens ${number(files)} Dateien mit zusammen ${bytes}.`,
    gone: 'Nicht gesendet: Die Nachricht oder ihr Postfach wurde gelöscht. Vor dem Schließen den Text kopieren.',
    lost: (names: string) => `Ein Entwurf behält keine angehängten Dateien. Erneut anhängen: ${names}`,
    send: 'Senden',
    queued: 'Nachricht eingereiht',
  },
  reply: {
    title: 'Antworten',
    about: 'An {recipient}, von {address}.',
    all: 'Allen Empfängern antworten',
  },
  compose: 'Neue Nachricht',
  forwarding: {
    title: 'Nachricht weiterleiten',
    note: 'Notiz',
    noteHint: 'Steht über der Nachricht.',
    way: 'Ursprüngliche Nachricht',
    ways: {
      quoted: 'Zitiert, ohne ihre Anhänge',
      kept: 'Zitiert, mit ihren Anhängen',
      attached: 'Als Anhang, unverändert',
    },
  },
} satisfies Words['conversation'];
