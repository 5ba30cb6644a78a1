import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: 'der Absender',
    to: 'ein Empfänger oder die erreichte Adresse',
    cc: 'ein Empfänger in Cc',
    subject: 'der Betreff',
    body: 'der Text',
    inbox: 'Adresse oder Bezeichnung des Postfachs',
    code: 'der Einmalcode',
    filename: 'der Name eines Anhangs',
    is: 'gelesen oder ungelesen',
    has: 'Code, Link, Anhang oder HTML',
    before: 'vor einem Datum (UTC) oder einer ISO-Zeit',
    after: 'ab einem Datum (UTC) oder einer ISO-Zeit',
    larger: 'größer als: 200k, 2m',
    smaller: 'kleiner als: 200k, 2m',
    tag: 'hat dieses Tag',
  },
  days: { today: 'heute', yesterday: 'gestern', week: 'vor einer Woche', month: 'vor einem Monat' },
  noMatch: {
    title: 'Keine passenden Nachrichten',
    body: 'Alle Wörter und Filter müssen passen. Weniger davon versuchen oder nur einen Teil eines Wortes.',
    without: (term: string) => `Ohne ${term}`,
    everywhere: 'In allen E-Mails suchen',
    searched: (characters: string) =>
      `Durchsucht: Betreff, Absender, Empfänger, Codes und die ersten ${characters} Zeichen des Textes.`,
  },
} satisfies Words['search'];
