import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: 'l’expéditeur',
    to: 'un destinataire, ou l’adresse d’arrivée',
    cc: 'un destinataire dans Cc',
    subject: 'l’objet',
    body: 'le texte',
    inbox: 'l’adresse ou le libellé de la boîte',
    code: 'le code à usage unique',
    filename: 'le nom d’une pièce jointe',
    is: 'lu ou non lu',
    has: 'code, lien, pièce jointe ou HTML',
    before: 'avant une date (UTC) ou une heure ISO',
    after: 'dès une date (UTC) ou une heure ISO',
    larger: 'plus grand que : 200k, 2m',
    smaller: 'plus petit que : 200k, 2m',
    tag: 'a cette étiquette',
  },
  days: { today: 'aujourd’hui', yesterday: 'hier', week: 'il y a une semaine', month: 'il y a un mois' },
  noMatch: {
    title: 'Aucun message trouvé',
    body: 'Tous les mots et filtres doivent correspondre. En essayer moins, ou une partie d’un mot.',
    without: (term: string) => `Sans ${term}`,
    everywhere: 'Rechercher dans tous les e-mails',
    searched: (characters: string) =>
      `Recherche dans : objet, expéditeur, destinataires, codes et les ${characters} premiers caractères du texte.`,
  },
} satisfies Words['search'];
