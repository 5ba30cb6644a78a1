import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: 'l’expéditeur',
    to: 'un destinataire dans À, ou l’adresse à laquelle le message est arrivé',
    cc: 'un destinataire dans Cc',
    subject: 'l’objet',
    body: 'le texte',
    inbox: 'l’adresse ou le libellé de la boîte',
    code: 'le code à usage unique',
    filename: 'le nom d’une pièce jointe',
    is: 's’il a été lu',
    has: 'ce qu’il contient ; link : un lien de connexion',
    before: 'reçu avant une date (UTC) ou une heure ISO',
    after: 'reçu à une date (UTC), à une heure ISO ou plus tard',
    larger: 'plus d’octets que cela, par exemple 200k ou 2m',
    smaller: 'moins d’octets que cela',
    tag: 'a cette étiquette',
  },
  days: { today: 'aujourd’hui', yesterday: 'hier', week: 'il y a une semaine', month: 'il y a un mois' },
  noMatch: {
    title: 'Aucun message trouvé',
    body: 'Tous les mots et filtres doivent correspondre. En essayer moins, ou une partie d’un mot.',
    without: (term: string) => `Sans ${term}`,
    everywhere: 'Rechercher dans tous les e-mails',
    searched: (characters: string) =>
      `Recherche dans : objet, expéditeur, destinataires, codes et les ${characters} premiers caractères du texte.`,
  },
} satisfies Words['search'];
