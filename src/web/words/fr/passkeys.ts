import type { Words } from '../dictionary.ts';

export default {
  title: 'Clés d’accès',
  about:
    'Se connecter avec une empreinte, un visage ou le code de l’appareil, sans mot de passe. Une clé d’accès compte aussi comme second facteur.',
  add: 'Ajouter une clé d’accès',
  none: 'Aucune pour l’instant',
  synced: 'synchronisée',
  added: (time: string) => `Ajoutée ${time}.`,
  used: (time: string) => `Dernière utilisation ${time}.`,
  unused: 'Pas encore utilisée.',
  otherHost: (host: string) => `Elle appartient à ${host} et ne fonctionne pas à cette adresse.`,
  addTitle: 'Ajouter une clé d’accès',
  addBody:
    'Le navigateur demande où la garder : sur cet appareil, sur le téléphone ou sur une clé de sécurité.',
  addedToast: 'Clé d’accès ajoutée',
  name: 'Nom',
  nameHint: 'Pour distinguer les clés d’accès.',
  rename: 'Renommer',
  renameTitle: 'Renommer la clé d’accès',
  renamed: 'Clé d’accès renommée',
  removeTitle: (name: string) => `Retirer ${name} ?`,
  removeBody:
    'Elle ne pourra plus servir à se connecter ici. À supprimer aussi de l’appareil ou du gestionnaire de mots de passe.',
  removed: 'Clé d’accès retirée',
  confirmByPasskey: 'Une clé d’accès existante sera demandée pour confirmer.',
  usePasskeyInstead: 'Confirmer plutôt avec une clé d’accès',
  usePasswordInstead: 'Confirmer plutôt avec le mot de passe',
  signIn: 'Se connecter avec une clé d’accès',
  create: 'Créer une clé d’accès',
  createInstead: 'Créer plutôt une clé d’accès',
  createAbout: 'Se connecter avec une empreinte, un visage ou le code de l’appareil.',
  elseLink: 'Sans clé d’accès, il faudra un autre lien pour se connecter à nouveau.',
  places: {
    ip_address:
      'Les clés d’accès exigent un nom d’hôte. L’adresse de ce serveur est une adresse IP : POSTERN_BASE_URL doit être une adresse https avec un nom.',
    no_https:
      'Les clés d’accès exigent https. POSTERN_BASE_URL doit être l’adresse https à laquelle ce serveur est joignable.',
    elsewhere: 'Les clés d’accès ne fonctionnent qu’à {address}.',
    old_browser: 'Ce navigateur ne connaît pas les clés d’accès.',
  },
  problems: {
    not_found: 'Annulé, ou aucune clé d’accès pour cette adresse. Réessayez, ou connectez-vous autrement.',
    cancelled: 'Annulé, ou délai dépassé. Réessayez.',
    exists: 'Cet appareil a déjà une clé d’accès.',
    wrong_address: 'Le navigateur ne propose pas de clés d’accès à cette adresse.',
    unsupported:
      'Cet appareil ne peut pas garder de clé d’accès : il doit demander une empreinte, un visage ou un code.',
    failed: 'La clé d’accès n’a pas pu être lue. Essayer à nouveau.',
  },
} satisfies Words['passkeys'];
