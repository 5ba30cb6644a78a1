import type { Words } from '../dictionary.ts';

/** The search of messages, and what it suggests. */
export default {
  title: 'E-Mails suchen',
  clear: 'Suche leeren',
  suggestions: 'Vorschläge',
  filters: { unread: 'Ungelesen', code: 'Codes', link: 'Links', attachment: 'Anhänge' },
  tokens: {
    from: 'der Absender',
    to: 'ein Empfänger in An oder die Adresse, an die die Nachricht kam',
    cc: 'ein Empfänger in Cc',
    subject: 'der Betreff',
    body: 'der Text',
    inbox: 'Adresse oder Bezeichnung des Postfachs',
    code: 'der Einmalcode',
    filename: 'der Name eines Anhangs',
    is: 'ob sie gelesen wurde',
    has: 'was sie enthält; link: einen Anmeldelink',
    before: 'empfangen vor einem Datum (UTC) oder einer ISO-Zeit',
    after: 'empfangen an einem Datum (UTC), zu einer ISO-Zeit oder später',
    larger: 'mehr Bytes als dies, etwa 200k oder 2m',
    smaller: 'weniger Bytes als dies',
    tag: 'hat dieses Tag',
  },
  days: { today: 'heute', yesterday: 'gestern', week: 'vor einer Woche', month: 'vor einem Monat' },
  misread: {
    unknown: (token: string) => `„${token}:“ gibt es nicht. Als Text gesucht.`,
    choice: (token: string, choices: string) =>
      `Nach „${token}:“ steht eines von ${choices}. Als Text gesucht.`,
    time: (token: string) =>
      `Nach „${token}:“ steht ein Datum wie 2026-11-22 oder eine ISO-Zeit. Als Text gesucht.`,
    size: (token: string) =>
      `Nach „${token}:“ steht eine Anzahl Bytes wie 2000, 200k oder 2m. Als Text gesucht.`,
  },
  noMatch: {
    title: 'Keine passenden Nachrichten',
    body: 'Alle Wörter und Filter müssen passen. Weniger davon versuchen oder nur einen Teil eines Wortes.',
    without: (term: string) => `Ohne ${term}`,
    everywhere: 'In allen E-Mails suchen',
    searched: (characters: string) =>
      `Durchsucht: Betreff, Absender, Empfänger, Codes und die ersten ${characters} Zeichen des Textes.`,
  },
} satisfies Words['search'];
