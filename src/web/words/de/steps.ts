import type { Words } from '../dictionary.ts';

/** What an empty list shows. */
export default {
  label: 'Erste Schritte',
  noMail: 'Noch keine E-Mails',
  noMailHere: 'Dieses Postfach hat keine E-Mails',
  waiting: 'Die erste E-Mail wird erwartet',
  aboutTrap:
    'Die eigene App auf den SMTP-Server unten einstellen. Jede Adresse wird angenommen, und jede E-Mail erscheint hier, sobald sie ankommt.',
  aboutNew: 'Ein Postfach erstellen oder öffnen, um eine Adresse zu erhalten, die E-Mails empfängt.',
  aboutInbox: 'E-Mails an diese Adresse erscheinen hier, sobald sie ankommen.',
  create: 'Postfach erstellen',
  reference: 'API-Referenz',
  send: 'Testmail senden',
  sent: (address: string) => `Testmail an ${address} gesendet`,
  point: 'Die App auf diesen Server einstellen',
  replaceKey: 'YOUR_API_KEY durch einen API-Schlüssel dieses Kontos ersetzen (Konto, API-Schlüssel).',
  read: 'Den Code im Test lesen',
  wait: 'Bis zu 25 Sekunden auf den Code warten',
  newest: 'Die neueste Nachricht',
  command: 'Befehl',
  fields: 'Der Code steht in {code}, ein Anmeldelink in {link}.',
  newInbox: {
    create: 'Erstellen und Adresse kopieren',
    addressHint: 'Leer lassen für eine zufällige Adresse.',
    random: 'zufällig',
    domain: 'Domain',
    shared: (domain: string) => `${domain} (gemeinsam genutzt)`,
    label: 'Bezeichnung',
    labelHint: 'Nur im eigenen Konto sichtbar.',
    labelExample: 'z. B. Test der Anmeldung',
    public: 'Öffentlich',
    publicHint: 'Wer die Adresse kennt, kann ihre Codes, Links und Betreffzeilen ohne Schlüssel lesen.',
    taken: 'Diese Adresse ist vergeben.',
    own: 'Zu dieser Adresse gibt es im Konto schon ein Postfach.',
  },
} satisfies Words['steps'];
