import { plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** Mail that SMTP rejected. */
export default {
  meanings: {
    unknown_recipient:
      'Zu dieser Adresse gibt es kein Postfach. Schreibweise prüfen oder das Postfach anlegen.',
    no_account:
      'Der Server hat noch kein Konto. Wenn er früher Konten hatte: prüfen, ob der richtige Datenträger eingehängt ist.',
    foreign_network: 'Das Netzwerk des Clients darf diese Trap nicht benutzen.',
    relay_refused: 'Dieser Server nimmt keine E-Mails für diese Domain an.',
    domain_put_off:
      'Die DNS-Einträge der Domain fehlen. Absender versuchen es einige Tage lang erneut. Siehe „Domains“.',
    domain_stopped: 'Die Domain ist nicht mehr bestätigt. Siehe „Domains“.',
    account_put_off: 'Das Konto ist gesperrt. Absender versuchen es einige Tage lang erneut.',
    account_stopped: 'Das Konto ist schon zu lange gesperrt, um E-Mails aufzuschieben.',
    trap_full: 'Die Trap hat so viele Postfächer, wie der Tarif erlaubt. Einige davon löschen.',
    trap_closed: 'Während der Verbindung wurde der API-Schlüssel widerrufen oder das Konto gesperrt.',
    wrong_key: 'Das SMTP-Passwort ist kein API-Schlüssel dieses Servers.',
    not_a_trap: 'Der API-Schlüssel gehört zu einem Konto, das keine Trap ist.',
    account_suspended: 'Der API-Schlüssel gehört zu einem Konto, das nicht aktiv ist.',
    starttls_off:
      'Der Client besteht auf TLS, das hier aus ist. Dort TLS ausschalten oder POSTERN_SMTP_STARTTLS=on setzen.',
    auth_in_clear: 'Der Client wollte sich ohne TLS anmelden. Dort STARTTLS oder TLS einschalten.',
    auth_in_mail: 'Der Client wollte sich anmelden, während er eine Nachricht sendete.',
    too_many_wrong_keys: 'Zu viele falsche SMTP-Passwörter von dieser Adresse.',
    reports_only: 'Diese Adresse nimmt nur Zustellberichte an, und das war keiner.',
    too_many_recipients:
      'Zu viele Empfänger in einer Nachricht. Der Absender versucht es für die übrigen erneut.',
    too_large: 'Die Nachricht überschreitet die Größengrenze dieses Servers.',
    looping: 'Die Nachricht läuft im Kreis. Vermutlich schickt eine Weiterleitung sie zurück.',
    bare_dot_line: 'Die Nachricht hat ungültige Zeilenenden, die für SMTP-Smuggling benutzt werden können.',
    store_full: 'Der Datenträger war fast voll. Der Absender versucht es erneut.',
    cut_off:
      'Die Verbindung endete, bevor die ganze Nachricht da war. Die meisten Absender versuchen es erneut.',
    fault: 'Ein interner Fehler. Der Absender versucht es erneut. Einzelheiten stehen im Protokoll.',
    server_full: 'Alle SMTP-Verbindungen waren belegt. Der Absender versucht es erneut.',
    made_room: 'Die Verbindung wurde zugunsten einer anderen geschlossen. Der Absender versucht es erneut.',
    shutting_down: 'Der Server wurde gerade beendet. Der Absender versucht es erneut.',
    too_many_connections: 'Zu viele gleichzeitige Verbindungen von diesem Absender. Er versucht es erneut.',
    too_many_connects: 'Zu viele neue Verbindungen pro Minute von diesem Absender. Er versucht es erneut.',
    too_many_faults: 'Zu viele ungültige Befehle oder unbekannte Empfänger in einer Verbindung.',
    session_too_long: 'Die Verbindung blieb zu lange offen.',
    fault_on_demand: 'Eine SMTP-Fehlerregel der Trap hat das verlangt.',
    too_slow: 'Die Nachricht kam zu langsam an.',
  },
  title: 'Abgelehnte E-Mails',
  about: (days: number) =>
    plural(days, {
      one: `Abgelehnte E-Mails an dieses Konto und der Grund dafür. ${days} Tag lang aufbewahrt.`,
      other: `Abgelehnte E-Mails an dieses Konto und der Grund dafür. ${days} Tage lang aufbewahrt.`,
    }),
  empty: 'Keine E-Mail an dieses Konto wurde abgelehnt.',
  emptyForOperator:
    'Keine E-Mail an dieses Konto wurde abgelehnt. E-Mails an unbekannte Adressen stehen unter „Server“, „Alle abgelehnten E-Mails“.',
  allTitle: 'Alle abgelehnten E-Mails',
  allAbout:
    'Abgelehnte E-Mails an beliebige Empfänger. Ähnliche Einträge sind zusammengefasst; bei einer Flut bleibt nur ein Teil erhalten.',
  allEmpty: 'Keine E-Mail an diesen Server wurde abgelehnt.',
  none: 'Keine abgelehnten E-Mails',
  dropped: 'getrennt',
  noRecipient: 'Kein Empfänger angegeben',
  span: (first: string, last: string) => `${first} bis ${last}`,
  from: 'Von {from} über {client}: {reply}',
  report: '<> (Zustellbericht)',
} satisfies Words['diary'];
