import { number, plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The sidebar's inboxes, and the list of messages. */
export default {
  inboxes: {
    title: 'Boîtes de réception',
    search: 'Rechercher une boîte',
    new: 'Nouvelle boîte',
    unread: (count: number) => plural(count, { one: 'non lu', other: 'non lus' }),
    public: 'publique',
    catchAll: 'catch-all',
    noMatch: 'Aucune boîte trouvée',
    none: 'Aucune boîte pour l’instant',
    noneInTrap: 'Envoyer un message à une adresse quelconque pour en créer une.',
    noneBody: 'Créer une boîte pour obtenir une adresse qui reçoit des e-mails.',
    delete: 'Supprimer la boîte',
    deleteTitle: 'Supprimer cette boîte ?',
    deleteBody:
      '{address} ne recevra plus d’e-mails, et ses messages seront supprimés. L’adresse reste réservée à ce compte, la boîte peut donc être recréée.',
    deleted: 'Boîte supprimée',
  },
  head: {
    compose: 'Nouveau message',
    inbox: 'Boîte de réception',
    comfortable: 'Lignes confortables',
    compact: 'Lignes compactes',
    markAll: 'Tout marquer comme lu',
    deleteAll: 'Tout supprimer',
    held: (count: number) =>
      plural(count, { one: `${number(count)} nouveau`, other: `${number(count)} nouveaux` }),
    states: {
      live: 'En direct',
      connecting: 'Connexion…',
      lost: 'Déconnecté. Reconnexion…',
    },
  },
  panes: {
    sidebar: 'Largeur de la barre latérale',
    list: 'Largeur de la liste des messages',
    drag: 'Faire glisser pour redimensionner',
  },
  address: 'Adresse',
  label: 'Messages, les plus récents d’abord',
  select: (subject: string) => `Sélectionner ${subject}`,
  selectOne: 'Sélectionner le message',
  unread: 'Non lu :',
  noSubject: '(sans objet)',
  to: (recipient: string) => `à ${recipient}`,
  tags: (tags: string) => `Étiquettes : ${tags}`,
  link: 'lien',
  attachments: (count: number) =>
    plural(count, { one: `${number(count)} pièce jointe`, other: `${number(count)} pièces jointes` }),
  code: (code: string) => `code ${code}`,
  copyCode: (code: string) => `Copier le code ${code}`,
  markRead: 'Marquer comme lu',
  markUnread: 'Marquer comme non lu',
  selection: {
    title: 'Messages sélectionnés',
    count: (count: number) =>
      plural(count, { one: `${number(count)} sélectionné`, other: `${number(count)} sélectionnés` }),
    all: (count: number) => `Tout sélectionner (${number(count)})`,
    clear: 'Tout désélectionner',
  },
  search: {
    title: 'Rechercher des e-mails',
    clear: 'Effacer la recherche',
    suggestions: 'Suggestions',
    filters: { unread: 'Non lus', code: 'Codes', link: 'Liens', attachment: 'Pièces jointes' },
    misread: {
      unknown: (token: string) => `« ${token}: » n’existe pas. Recherché comme texte.`,
      choice: (token: string, choices: string) =>
        `Après « ${token}: », l’une de ces valeurs : ${choices}. Recherché comme texte.`,
      time: (token: string) =>
        `Après « ${token}: », une date comme 2026-11-22 ou une heure ISO. Recherché comme texte.`,
      size: (token: string) =>
        `Après « ${token}: », un nombre d’octets comme 2000, 200k ou 2m. Recherché comme texte.`,
    },
  },
  failed: 'Les messages n’ont pas pu être chargés',
  tryAgain: 'Réessayer',
  empty: 'Aucun message pour l’instant',
  emptyBody: 'Les nouveaux messages s’affichent ici dès leur arrivée.',
  deleted: {
    messages: (count: number) =>
      plural(count, { one: 'Message supprimé', other: `${number(count)} messages supprimés` }),
    copies: (count: number) => `Message supprimé pour ses ${number(count)} destinataires`,
    all: 'Tous les messages supprimés',
    matching: 'Tous les messages trouvés supprimés',
    askTitle: (count: number) => `Supprimer ${number(count)} messages ?`,
    askBody: 'Garder cette page ouverte jusqu’à leur suppression.',
  },
  markedRead: (count: number) =>
    plural(count, {
      one: `${number(count)} message marqué comme lu`,
      other: `${number(count)} messages marqués comme lus`,
    }),
  notifications: {
    on: 'Notifications activées',
    off: 'Notifications désactivées',
    missing: 'Ce navigateur ne propose pas de notifications',
    blocked: 'Les notifications sont bloquées. Les autoriser pour ce site dans les réglages du navigateur.',
  },
} satisfies Words['list'];
