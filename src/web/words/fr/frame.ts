import { joinWithOr } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/*
 * French. Buttons are infinitives (`Créer une clé`), the reader is not addressed. No-break spaces stand before `:`, `?`
 * and inside « ».
 *
 *   account    compte                  mail      e-mail            recipient     destinataire
 *   allowlist  liste d’autorisation    member    membre            reject        refuser
 *   API key    clé API                 message   message           send on       transférer
 *   catch-all  catch-all               operator  opérateur         settings      paramètres
 *   delivery   livraison               owner     propriétaire      sign in, out  se connecter, se déconnecter
 *   inbox      boîte                   plan      offre             trap          trap
 *   log        journal                 suppression  adresse bloquée  webhook     webhook
 */
export default {
  units: ['o', 'Ko', 'Mo', 'Go'],
  unknownSender: 'Expéditeur inconnu',
  close: 'Fermer',
  cancel: 'Annuler',
  done: 'Terminé',
  add: 'Ajouter',
  remove: 'Retirer',
  removeOne: (what: string) => `Retirer ${what}`,
  delete: 'Supprimer',
  turnOn: 'Activer',
  turnOff: 'Désactiver',
  loadMore: 'Afficher plus',
  loading: 'Chargement',
  stillLoading: 'Chargement en cours. Le serveur met plus de temps que d’habitude à répondre.',
  outOf: (part: string, whole: string) => `${part} sur ${whole}`,
  copy: 'Copier',
  copyOne: (what: string) => `Copier : ${what}`,
  copied: (what: string) => `Copié : ${what}`,
  failures: {
    offline: 'Le serveur ne répond pas.',
    server: 'Une erreur est survenue.',
    page: 'Une erreur est survenue sur cette page.',
  },
  notLoaded: { title: 'Cette page n’a pas pu être chargée', reload: 'Recharger' },
  lost: {
    title: 'Connexion perdue.',
    body: 'Cette page n’est peut-être plus à jour. Reconnexion…',
  },
  refusing: { title: 'Les nouveaux e-mails sont refusés.', body: 'Le serveur n’est pas prêt.' },
  plans: {
    none: 'Aucune offre de ce serveur ne comprend cette fonction.',
    available: (names: readonly string[]) =>
      `Disponible avec l’offre ${joinWithOr(names)}. L’opérateur du serveur peut changer d’offre.`,
  },
  password: {
    password: 'Mot de passe',
    current: 'Mot de passe actuel',
    new: 'Nouveau mot de passe',
    show: 'Afficher',
    hide: 'Masquer',
    showOne: (label: string) => `Afficher : ${label}`,
    rules: (least: number) => `Au moins ${least} caractères, et pas un mot de passe courant.`,
  },
  places: {
    usage: 'Offre et utilisation',
    trap: 'Trap',
    faults: 'Erreurs SMTP',
    keys: 'Clés API',
    webhooks: 'Webhooks',
    rules: 'Règles',
    domains: 'Domaines',
    senders: 'Expéditeurs',
    sending: 'Envoi',
    refused: 'E-mails refusés',
    members: 'Membres',
    audit: 'Journal d’audit',
    'sign-in': 'Profil',
    preferences: 'Préférences',
    health: 'État',
    accounts: 'Comptes',
    'all-refused': 'Tous les e-mails refusés',
    log: 'Journal',
    'all-audit': 'Journal d’audit complet',
    settings: 'Paramètres',
    doctor: 'Diagnostic',
  },
  shell: {
    skip: 'Aller au contenu',
    sidebar: 'Barre latérale',
    sections: 'Sections',
    pages: 'Pages',
    page: 'Page',
    mail: 'E-mails',
    account: 'Compte',
    server: 'Serveur',
    capture: 'capture',
    profile: (email: string) => `${email} : profil`,
    notify: 'Activer les notifications',
    notifyOff: 'Désactiver les notifications',
    backToMail: 'Retour aux e-mails',
    notFound: 'Page introuvable',
  },
  themes: { light: 'Thème : clair', dark: 'Thème : sombre', system: 'Thème : système' },
  palette: {
    title: 'Aller à',
    search: 'Rechercher boîtes, pages et commandes',
    results: 'Résultats',
    allMail: 'Tous les e-mails',
    notify: 'Activer ou désactiver les notifications',
  },
  help: {
    title: 'Raccourcis clavier',
    messages: 'Messages',
    next: 'Message suivant',
    previous: 'Message précédent',
    open: 'Ouvrir le message',
    back: 'Retour à la liste',
    copyCode: 'Copier le code',
    copyOther: 'Copier autre chose',
    addTag: 'Ajouter une étiquette',
    fullPage: 'Pleine page',
    foldList: 'Replier la liste',
    undo: 'Annuler',
    markRead: 'Marquer comme lu ou non lu',
    delete: 'Supprimer',
    select: 'Sélectionner',
    general: 'Général',
    search: 'Rechercher des messages',
    palette: 'Palette de commandes',
    theme: 'Changer de thème',
    escape: 'Fermer ou désélectionner',
    filters: 'Filtres de recherche',
    from: (name: string) => `L’expéditeur contient « ${name} »`,
    subject: (text: string) => `L’objet contient « ${text} »`,
    unread: 'Messages non lus',
    hasCode: 'Messages avec un code',
  },
} satisfies Words['frame'];
