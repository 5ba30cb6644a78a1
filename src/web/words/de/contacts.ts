import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

export default {
  hold: {
    title: 'Freigabe',
    on: 'Ein. E-Mails von Mitgliedern und ihren API-Schlüsseln warten, bis ein Inhaber sie freigibt.',
    off: 'Aus. Eingeschaltet gibt ein Inhaber frei, was Mitglieder und ihre API-Schlüssel senden.',
    inboxOn:
      'Ein für dieses Postfach. E-Mails, die Mitglieder und ihre API-Schlüssel von hier senden, warten, bis ein Inhaber sie freigibt.',
    inboxOff:
      'Aus für dieses Postfach. Eingeschaltet gibt ein Inhaber frei, was Mitglieder und ihre API-Schlüssel von hier senden.',
    waiting: 'Warten auf Freigabe',
    asked: (by: string) => `Angefordert von ${by}`,
    until: (time: string) => `wird am ${time} abgelehnt, falls nicht freigegeben`,
    review: 'Prüfen',
    reviewOne: (subject: string) => `${subject} prüfen`,
    to: 'Empfänger',
    approve: 'Freigeben und senden',
    reject: 'Ablehnen',
    reason: 'Grund der Ablehnung (optional)',
    approved: 'E-Mail freigegeben',
    rejected: 'E-Mail abgelehnt',
  },
  senders: {
    about:
      'Wer an welches Postfach schreiben darf. Was die Listen abhalten, bleibt gespeichert und kann hier angenommen werden.',
    none: 'Noch keine Postfächer',
    all: 'Alle Postfächer',
    who: 'Wer schreiben darf',
    everyone: 'Alle außer blockierten Absendern',
    allowedOnly: 'Nur zugelassene Absender, deren Identität bestätigt ist',
    allow: 'Zugelassene Absender',
    allowHint: 'Einer je Zeile: ann@example.com, example.com oder *.example.com für alles darunter.',
    block: 'Blockierte Absender',
    blockHint: 'Gleiches Format. Der genaueste Eintrag gilt.',
    save: 'Speichern',
    saved: 'Gespeichert. Es gilt für neue E-Mails.',
    withheld: 'Zurückgehaltene Nachrichten',
    withheldAbout: 'Erst nach dem Annehmen im Postfach sichtbar.',
    noneWithheld: 'Keine zurückgehaltenen Nachrichten',
    reasons: {
      blocked: 'blockiert',
      not_allowed: 'nicht zugelassen',
      unproven: 'wird geprüft',
      unauthenticated: 'nicht bestätigt',
    },
    read: 'Lesen',
    readOne: (subject: string) => `${subject} lesen`,
    accept: 'Annehmen',
    acceptOne: (subject: string) => `${subject} annehmen`,
    deleteOne: (subject: string) => `${subject} löschen`,
    deleteTitle: 'Diese Nachricht löschen?',
    deleteBody: (subject: string) => `„${subject}“ lässt sich nicht wiederherstellen.`,
    accepted: 'Angenommen. Die Nachricht ist im Postfach.',
    more: (count: number) => `Die ersten ${number(count)} werden angezeigt.`,
  },
} satisfies Words['contacts'];
