import type { Words } from '../dictionary.ts';

export default {
  title: 'Passkeys',
  about:
    'Anmelden mit Fingerabdruck, Gesicht oder der PIN des Geräts, ohne Passwort. Ein Passkey zählt auch als zweiter Faktor.',
  add: 'Passkey hinzufügen',
  none: 'Noch keine',
  synced: 'synchronisiert',
  added: (time: string) => `Hinzugefügt ${time}.`,
  used: (time: string) => `Zuletzt benutzt ${time}.`,
  unused: 'Noch nicht benutzt.',
  otherHost: (host: string) => `Er gehört zu ${host} und funktioniert an dieser Adresse nicht.`,
  addTitle: 'Passkey hinzufügen',
  addBody:
    'Der Browser fragt, wo er gespeichert wird: auf diesem Gerät, auf dem Telefon oder auf einem Sicherheitsschlüssel.',
  addedToast: 'Passkey hinzugefügt',
  name: 'Name',
  nameHint: 'Um Passkeys zu unterscheiden.',
  rename: 'Umbenennen',
  renameTitle: 'Passkey umbenennen',
  renamed: 'Passkey umbenannt',
  removeTitle: (name: string) => `${name} entfernen?`,
  removeBody:
    'Damit ist hier keine Anmeldung mehr möglich. Auch auf dem Gerät oder im Passwortmanager löschen.',
  removed: 'Passkey entfernt',
  confirmByPasskey: 'Zur Bestätigung wird ein vorhandener Passkey abgefragt.',
  usePasskeyInstead: 'Stattdessen mit einem Passkey bestätigen',
  usePasswordInstead: 'Stattdessen mit dem Passwort bestätigen',
  signIn: 'Mit Passkey anmelden',
  create: 'Passkey erstellen',
  createInstead: 'Stattdessen einen Passkey erstellen',
  createAbout: 'Anmelden mit Fingerabdruck, Gesicht oder der PIN des Geräts.',
  elseLink: 'Ohne Passkey ist für die nächste Anmeldung wieder ein Link nötig.',
  places: {
    ip_address:
      'Passkeys brauchen einen Hostnamen. Die Adresse dieses Servers ist eine IP-Adresse: POSTERN_BASE_URL auf eine https-Adresse mit Namen setzen.',
    no_https:
      'Passkeys brauchen https. POSTERN_BASE_URL auf die https-Adresse setzen, unter der dieser Server erreichbar ist.',
    elsewhere: 'Passkeys funktionieren nur unter {address}.',
    old_browser: 'Dieser Browser kennt keine Passkeys.',
  },
  problems: {
    not_found:
      'Abgebrochen, oder es wurde kein Passkey für diese Adresse gefunden. Noch einmal versuchen oder anders anmelden.',
    cancelled: 'Abgebrochen, oder es hat zu lange gedauert. Noch einmal versuchen.',
    exists: 'Auf diesem Gerät gibt es schon einen Passkey.',
    wrong_address: 'Der Browser bietet an dieser Adresse keine Passkeys an.',
    unsupported:
      'Dieses Gerät kann keinen Passkey speichern: Es muss nach Fingerabdruck, Gesicht oder PIN fragen.',
    failed: 'Der Passkey konnte nicht gelesen werden. Noch einmal versuchen.',
  },
} satisfies Words['passkeys'];
