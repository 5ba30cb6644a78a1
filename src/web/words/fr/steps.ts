import type { Words } from '../dictionary.ts';

/** What an empty list shows. */
export default {
  label: 'Premiers pas',
  noMail: 'Aucun e-mail pour l’instant',
  noMailHere: 'Cette boîte n’a pas d’e-mails',
  waiting: 'En attente du premier e-mail',
  aboutTrap:
    'Diriger l’application vers le serveur SMTP ci-dessous. Toutes les adresses sont acceptées, et chaque e-mail s’affiche ici dès son arrivée.',
  aboutNew: 'Créer ou ouvrir une boîte pour obtenir une adresse qui reçoit des e-mails.',
  aboutInbox: 'Les e-mails à cette adresse s’affichent ici dès leur arrivée.',
  create: 'Créer une boîte',
  reference: 'Référence de l’API',
  send: 'Envoyer un e-mail de test',
  sent: (address: string) => `E-mail de test envoyé à ${address}`,
  point: 'Diriger l’application vers ce serveur',
  replaceKey: 'Remplacer YOUR_API_KEY par une clé API de ce compte (Compte, Clés API).',
  read: 'Lire le code dans le test',
  wait: 'Attendre le code jusqu’à 25 secondes',
  newest: 'Le message le plus récent',
  command: 'Commande',
  fields: 'Le code est dans {code}, un lien de connexion dans {link}.',
  newInbox: {
    create: 'Créer et copier l’adresse',
    addressHint: 'Laisser vide pour une adresse aléatoire.',
    random: 'aléatoire',
    domain: 'Domaine',
    shared: (domain: string) => `${domain} (partagé)`,
    label: 'Libellé',
    labelHint: 'Visible uniquement dans ce compte.',
    labelExample: 'p. ex. test d’inscription',
    public: 'Publique',
    publicHint: 'Quiconque connaît l’adresse peut lire ses codes, liens et objets sans clé.',
    taken: 'Cette adresse est déjà prise.',
    own: 'Ce compte a déjà une boîte avec cette adresse.',
  },
} satisfies Words['steps'];
