import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The sidebar's inboxes, and the list of messages. */
export default {
  inboxes: {
    title: 'Postfächer',
    search: 'Postfach suchen',
    new: 'Neues Postfach',
    unread: (count: number) => plural(count, { one: 'ungelesen', other: 'ungelesen' }),
    public: 'öffentlich',
    catchAll: 'Catch-all',
    noMatch: 'Keine passenden Postfächer',
    none: 'Noch keine Postfächer',
    noneInTrap: 'Eine Nachricht an eine beliebige Adresse senden, dann entsteht eines.',
    noneBody: 'Ein Postfach erstellen, um eine Adresse zu erhalten, die E-Mails empfängt.',
    delete: 'Postfach löschen',
    deleteTitle: 'Dieses Postfach löschen?',
    deleteBody:
      '{address} empfängt dann keine E-Mails mehr, und die Nachrichten werden gelöscht. Die Adresse bleibt reserviert, sodass sich das Postfach neu erstellen lässt.',
    deleted: 'Postfach gelöscht',
  },
  head: {
    compose: 'Neue Nachricht',
    inbox: 'Postfach',
    comfortable: 'Komfortable Zeilen',
    compact: 'Kompakte Zeilen',
    markAll: 'Alle als gelesen markieren',
    deleteAll: 'Alle löschen',
    held: (count: number) => `${number(count)} neu`,
    states: {
      live: 'Live',
      connecting: 'Wird verbunden …',
      lost: 'Getrennt. Wird neu verbunden …',
    },
  },
  panes: {
    sidebar: 'Breite der Seitenleiste',
    list: 'Breite der Nachrichtenliste',
    drag: 'Ziehen, um die Breite zu ändern',
  },
  address: 'Adresse',
  label: 'Nachrichten, neueste zuerst',
  select: (subject: string) => `${subject} auswählen`,
  selectOne: 'Nachricht auswählen',
  unread: 'Ungelesen:',
  noSubject: '(kein Betreff)',
  to: (recipient: string) => `an ${recipient}`,
  tags: (tags: string) => `Tags: ${tags}`,
  link: 'Link',
  attachments: (count: number) =>
    plural(count, { one: `${number(count)} Anhang`, other: `${number(count)} Anhänge` }),
  code: (code: string) => `Code ${code}`,
  copyCode: (code: string) => `Code ${code} kopieren`,
  markRead: 'Als gelesen markieren',
  markUnread: 'Als ungelesen markieren',
  selection: {
    title: 'Ausgewählte Nachrichten',
    count: (count: number) => `${number(count)} ausgewählt`,
    all: (count: number) => `Alle ${number(count)} auswählen`,
    clear: 'Auswahl aufheben',
  },
  search: {
    title: 'E-Mails suchen',
    clear: 'Suche leeren',
    suggestions: 'Vorschläge',
    filters: { unread: 'Ungelesen', code: 'Codes', link: 'Links', attachment: 'Anhänge' },
    misread: {
      unknown: (token: string) => `„${token}:“ gibt es nicht. Als Text gesucht.`,
      choice: (token: string, choices: string) =>
        `Nach „${token}:“ steht eines von ${choices}. Als Text gesucht.`,
      time: (token: string) =>
        `Nach „${token}:“ steht ein Datum wie 2026-11-22 oder eine ISO-Zeit. Als Text gesucht.`,
      size: (token: string) =>
        `Nach „${token}:“ steht eine Anzahl Bytes wie 2000, 200k oder 2m. Als Text gesucht.`,
    },
  },
  failed: 'Die Nachrichten konnten nicht geladen werden',
  tryAgain: 'Erneut versuchen',
  empty: 'Noch keine Nachrichten',
  emptyBody: 'Neue Nachrichten erscheinen hier, sobald sie ankommen.',
  deleted: {
    messages: (count: number) =>
      plural(count, { one: 'Nachricht gelöscht', other: `${number(count)} Nachrichten gelöscht` }),
    copies: (count: number) => `Nachricht für alle ${number(count)} Empfänger gelöscht`,
    all: 'Alle Nachrichten gelöscht',
    matching: 'Alle passenden Nachrichten gelöscht',
    askTitle: (count: number) => `${number(count)} Nachrichten löschen?`,
    askBody: 'Diese Seite offen lassen, bis sie gelöscht sind.',
  },
  markedRead: (count: number) =>
    plural(count, {
      one: `${number(count)} Nachricht als gelesen markiert`,
      other: `${number(count)} Nachrichten als gelesen markiert`,
    }),
  notifications: {
    on: 'Benachrichtigungen eingeschaltet',
    off: 'Benachrichtigungen ausgeschaltet',
    missing: 'Dieser Browser kennt keine Benachrichtigungen',
    blocked:
      'Benachrichtigungen sind blockiert. Sie lassen sich in den Browsereinstellungen für diese Website erlauben.',
  },
} satisfies Words['list'];
