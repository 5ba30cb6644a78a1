import type { Words } from '../dictionary.ts';

/** Signing in, signing up, and links that work once. */
export default {
  signIn: 'Anmelden',
  signInInstead: 'Stattdessen anmelden',
  createAccount: 'Konto erstellen',
  createAnAccount: 'Ein Konto erstellen',
  inboxesAt: (domain: string, plan: string) => `Postfächer unter ${domain}, im Tarif ${plan}.`,
  sessionEnded: 'Die Sitzung ist abgelaufen. Nach dem Anmelden geht es an derselben Stelle weiter.',
  email: 'E-Mail-Adresse',
  code: 'Code',
  codeHint: 'Aus der Authenticator-App, oder ein Wiederherstellungscode.',
  cannotSignIn:
    'Anmelden klappt nicht? Inhaber des Kontos können unter „Mitglieder“ einen Link erzeugen, Betreiber mit {command}.',
  join: 'Beitreten',
  joinAccount: (account: string) => `${account} beitreten`,
  joinAbout: (email: string) =>
    `Angemeldet als ${email}. Das Passwort bleibt gleich, und zwischen den Konten kann gewechselt werden.`,
  choosePassword: 'Passwort wählen',
  chooseNewPassword: 'Neues Passwort wählen',
  invitedAsOwner: (account: string) => `Einladung zu ${account} als Inhaber.`,
  invitedAsMember: (account: string) => `Einladung zu ${account} als Mitglied.`,
  returning: (account: string) => `Dieser einmalige Link stellt den Zugang zu ${account} wieder her.`,
  setUp: 'Postern einrichten',
  setUpAbout: 'Damit entsteht das Konto, das diesen Server betreibt.',
  setUpKnown: 'Wählen, wie sich der Betreiber dieses Servers anmeldet.',
  continue: 'Weiter',
  badLink: 'Dieser Link funktioniert nicht',
  backToSignIn: 'Zurück zur Anmeldung',
  noAccess: 'Kein Zugriff',
  accountIs: {
    active: 'Dieses Konto ist aktiv',
    unverified: 'Dieses Konto ist nicht bestätigt',
    suspended: 'Dieses Konto ist gesperrt',
    inactive: 'Dieses Konto ist inaktiv',
  },
  notUsable: (account: string) =>
    `${account} kann nicht verwendet werden. Der Betreiber des Servers kann weiterhelfen.`,
  switchTo: (account: string) => `Zu ${account} wechseln`,
  signOut: 'Abmelden',
  singleSignOn: 'Mit Single Sign-on anmelden',
  continueWithSingleSignOn: 'Mit Single Sign-on fortfahren',
  oidcProblems: {
    unreachable:
      'Der Identitätsanbieter ist nicht erreichbar. Mit dem Passwort anmelden oder es später erneut versuchen.',
    refused:
      'Die Antwort des Identitätsanbieters wurde abgelehnt. Erneut versuchen; bleibt es dabei, hilft der Betreiber des Servers.',
    expired: 'Diese Anmeldung hat zu lange gedauert oder wurde schon benutzt. Erneut versuchen.',
    unverified: 'Der Identitätsanbieter hat die E-Mail-Adresse nicht bestätigt.',
    not_allowed: 'Die Anmeldung ist hier nicht erlaubt. Ein Inhaber des Kontos kann dazu einladen.',
    not_connected:
      'Ein Konto hier hat diese E-Mail-Adresse, ist aber nicht mit Single Sign-on verbunden. Die Einladung öffnen, oder mit dem Passwort anmelden und Single Sign-on unter „Profil“ verbinden.',
    other_email:
      'Der Identitätsanbieter nennt eine andere E-Mail-Adresse als die eingeladene. Die Einladung gilt weiter: dort die eingeladene Adresse verwenden oder auf anderem Weg fortfahren.',
    other_person:
      'Diese E-Mail-Adresse gehört beim Identitätsanbieter einer anderen Person. Ein Inhaber muss dieses Mitglied zuerst entfernen.',
  },
} satisfies Words['door'];
