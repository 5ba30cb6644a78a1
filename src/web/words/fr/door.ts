import type { Words } from '../dictionary.ts';

/** Signing in, signing up, and links that work once. */
export default {
  signIn: 'Se connecter',
  signInInstead: 'Se connecter à un compte existant',
  createAccount: 'Créer le compte',
  createAnAccount: 'Créer un compte',
  inboxesAt: (domain: string, plan: string) => `Boîtes de réception sur ${domain}, avec l’offre ${plan}.`,
  sessionEnded: 'La session a pris fin. Se reconnecter permet de reprendre au même endroit.',
  email: 'Adresse e-mail',
  code: 'Code de vérification',
  codeHint: 'De votre application d’authentification, ou un code de récupération.',
  cannotSignIn:
    'Connexion impossible ? Un propriétaire du compte peut créer un lien dans « Membres », un opérateur avec {command}.',
  join: 'Rejoindre',
  joinAccount: (account: string) => `Rejoindre ${account}`,
  joinAbout: (email: string) =>
    `Connecté en tant que ${email}. Le mot de passe reste le même, et il est possible de passer d’un compte à l’autre.`,
  choosePassword: 'Choisir un mot de passe',
  chooseNewPassword: 'Choisir un nouveau mot de passe',
  invitedAsOwner: (account: string) => `Invitation à rejoindre ${account} comme propriétaire.`,
  invitedAsMember: (account: string) => `Invitation à rejoindre ${account} comme membre.`,
  returning: (account: string) => `Ce lien à usage unique permet de se reconnecter à ${account}.`,
  setUp: 'Configurer Postern',
  setUpAbout: 'Cette étape crée le compte qui gère ce serveur.',
  setUpKnown: 'Choisissez comment l’opérateur de ce serveur se connecte.',
  continue: 'Continuer',
  badLink: 'Ce lien ne fonctionne pas',
  backToSignIn: 'Retour à la connexion',
  noAccess: 'Accès refusé',
  accountIs: {
    active: 'Ce compte est actif',
    unverified: 'Ce compte n’est pas vérifié',
    suspended: 'Ce compte est suspendu',
    inactive: 'Ce compte est inactif',
  },
  notUsable: (account: string) =>
    `${account} ne peut pas être utilisé. L’opérateur du serveur peut renseigner à ce sujet.`,
  switchTo: (account: string) => `Passer à ${account}`,
  signOut: 'Se déconnecter',
  singleSignOn: 'Se connecter par authentification unique',
  continueWithSingleSignOn: 'Continuer avec l’authentification unique',
  oidcProblems: {
    unreachable:
      'Le fournisseur d’identité est injoignable. Se connecter avec le mot de passe, ou réessayer plus tard.',
    refused:
      'La réponse du fournisseur d’identité a été refusée. Réessayer ; si cela persiste, demander à l’opérateur du serveur.',
    expired: 'Cette connexion a pris trop de temps ou a déjà servi. Réessayer.',
    unverified: 'Le fournisseur d’identité n’a pas vérifié l’adresse e-mail.',
    not_allowed:
      'La connexion n’est pas autorisée ici. Un propriétaire du compte peut envoyer une invitation.',
    not_connected:
      'Un compte a cette adresse e-mail ici, mais sans lien avec l’authentification unique. Ouvrir l’invitation, ou se connecter avec le mot de passe et associer l’authentification unique sous « Profil ».',
    other_email:
      'Le fournisseur d’identité indique une autre adresse e-mail que celle de l’invitation. L’invitation reste valable : y utiliser l’adresse invitée, ou continuer autrement.',
    other_person:
      'Cette adresse e-mail appartient à une autre personne chez le fournisseur d’identité. Un propriétaire doit d’abord retirer ce membre.',
  },
} satisfies Words['door'];
