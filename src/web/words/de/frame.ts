import { oneOf } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/*
 * German. Neither du nor Sie: infinitives (`Schlüssel erstellen`) and statements without a person.
 *
 *   account    Konto             mail           E-Mail, E-Mails    recipient     Empfänger
 *   allowlist  Zulassungsliste   member         Mitglied           reject        ablehnen
 *   API key    API-Schlüssel     message        Nachricht          send on       weiterleiten
 *   catch-all  Catch-all         operator       Betreiber          settings      Einstellungen
 *   delivery   Zustellung        owner          Inhaber            sign in, out  anmelden, abmelden
 *   inbox      Postfach          plan           Tarif              trap          Trap
 *   log        Protokoll         suppression    gesperrte Adresse  webhook       Webhook
 */
export default {
  units: ['B', 'KB', 'MB', 'GB'],
  unknownSender: 'Unbekannter Absender',
  close: 'Schließen',
  cancel: 'Abbrechen',
  done: 'Fertig',
  add: 'Hinzufügen',
  remove: 'Entfernen',
  removeOne: (what: string) => `${what} entfernen`,
  delete: 'Löschen',
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  loadMore: 'Mehr laden',
  loading: 'Wird geladen',
  outOf: (part: string, whole: string) => `${part} von ${whole}`,
  copy: 'Kopieren',
  copyOne: (what: string) => `${what} kopieren`,
  copied: (what: string) => `${what} kopiert`,
  failures: {
    offline: 'Der Server antwortet nicht.',
    server: 'Etwas ist schiefgegangen.',
    page: 'Auf dieser Seite ist etwas schiefgegangen.',
  },
  signedOut: { title: 'Nicht angemeldet', body: 'Die API ist mit einem Schlüssel erreichbar.' },
  plans: {
    none: 'Das ist in keinem Tarif dieses Servers enthalten.',
    available: (names: readonly string[]) =>
      `Im Tarif ${oneOf(names)} enthalten. Den Tarif kann der Betreiber des Servers ändern.`,
  },
  password: {
    password: 'Passwort',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    show: 'Anzeigen',
    hide: 'Verbergen',
    showOne: (label: string) => `${label} anzeigen`,
    rules: (least: number) => `Mindestens ${least} Zeichen und kein häufig verwendetes Passwort.`,
  },
  places: {
    usage: 'Tarif und Nutzung',
    trap: 'Trap',
    keys: 'API-Schlüssel',
    webhooks: 'Webhooks',
    domains: 'Domains',
    sending: 'Versand',
    refused: 'Abgelehnte E-Mails',
    members: 'Mitglieder',
    'sign-in': 'Profil',
    health: 'Zustand',
    accounts: 'Konten',
    'all-refused': 'Alle abgelehnten E-Mails',
    log: 'Protokoll',
    settings: 'Einstellungen',
    doctor: 'Diagnose',
  },
  shell: {
    skip: 'Zum Inhalt springen',
    sidebar: 'Seitenleiste',
    sections: 'Bereiche',
    pages: 'Seiten',
    page: 'Seite',
    mail: 'E-Mail',
    trap: 'Trap',
    account: 'Konto',
    server: 'Server',
    capture: 'capture',
    profile: (email: string) => `${email}: Profil`,
    notify: 'Bei neuen E-Mails benachrichtigen',
    notifyOff: 'Benachrichtigungen ausschalten',
    backToMail: 'Zurück zu den E-Mails',
    notFound: 'Seite nicht gefunden',
  },
  themes: { light: 'Design: hell', dark: 'Design: dunkel', system: 'Design: System' },
  palette: {
    title: 'Gehe zu',
    search: 'Postfächer, Seiten und Befehle suchen',
    results: 'Ergebnisse',
    allMail: 'Alle E-Mails',
    notify: 'Benachrichtigungen ein- oder ausschalten',
  },
  help: {
    title: 'Tastenkürzel',
    messages: 'Nachrichten',
    next: 'Nächste Nachricht',
    previous: 'Vorherige Nachricht',
    open: 'Nachricht öffnen',
    back: 'Zurück zur Liste',
    copyCode: 'Code kopieren',
    copyOther: 'Etwas anderes kopieren',
    addTag: 'Tag hinzufügen',
    fullPage: 'Ganze Seite',
    foldList: 'Liste einklappen',
    undo: 'Rückgängig machen',
    markRead: 'Als gelesen oder ungelesen markieren',
    delete: 'Löschen',
    select: 'Auswählen',
    general: 'Allgemein',
    search: 'Nachrichten suchen',
    palette: 'Befehlspalette',
    theme: 'Design wechseln',
    escape: 'Schließen oder Auswahl aufheben',
    filters: 'Suchfilter',
    from: (name: string) => `Absender enthält „${name}“`,
    subject: (text: string) => `Betreff enthält „${text}“`,
    unread: 'Ungelesene Nachrichten',
    hasCode: 'Nachrichten mit einem Code',
  },
} satisfies Words['frame'];
