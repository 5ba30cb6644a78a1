import { plural } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** Mail that SMTP rejected. */
export default {
  meanings: {
    unknown_recipient: 'Aucune boîte n’a cette adresse. Vérifier l’orthographe ou créer la boîte.',
    no_account: 'Le serveur n’a pas encore de compte. S’il en avait, vérifier que le bon disque est monté.',
    foreign_network: 'Le réseau du client n’est pas autorisé à utiliser cette trap.',
    relay_refused: 'Ce serveur n’accepte pas d’e-mails pour ce domaine.',
    domain_put_off:
      'Les enregistrements DNS du domaine manquent. Les expéditeurs réessaient pendant quelques jours. Voir « Domaines ».',
    domain_stopped: 'Le domaine n’est plus vérifié. Voir « Domaines ».',
    account_put_off: 'Le compte est suspendu. Les expéditeurs réessaient pendant quelques jours.',
    account_stopped: 'Le compte est suspendu depuis trop longtemps pour différer les e-mails.',
    trap_full: 'La trap a autant de boîtes que l’offre en permet. En supprimer quelques-unes.',
    trap_closed: 'La clé API a été révoquée ou le compte suspendu pendant la connexion.',
    wrong_key: 'Le mot de passe SMTP n’est pas une clé API de ce serveur.',
    not_a_trap: 'La clé API appartient à un compte qui n’est pas une trap.',
    account_suspended: 'La clé API appartient à un compte qui n’est pas actif.',
    starttls_off:
      'Le client exige TLS, désactivé ici. Y désactiver TLS, ou définir POSTERN_SMTP_STARTTLS=on.',
    auth_in_clear: 'Le client a tenté de se connecter sans TLS. Y activer STARTTLS ou TLS.',
    auth_in_mail: 'Le client a tenté de se connecter pendant l’envoi d’un message.',
    too_many_wrong_keys: 'Trop de mots de passe SMTP erronés depuis cette adresse.',
    reports_only: 'Cette adresse n’accepte que les rapports de livraison, et ceci n’en était pas un.',
    too_many_recipients: 'Trop de destinataires dans un message. L’expéditeur réessaiera pour les autres.',
    too_large: 'Le message dépasse la taille maximale de ce serveur.',
    looping: 'Le message tourne en boucle. Une règle de transfert le renvoie sans doute.',
    bare_dot_line: 'Le message a des fins de ligne non valides, utilisables pour du SMTP smuggling.',
    store_full: 'Le disque était presque plein. L’expéditeur réessaiera.',
    cut_off:
      'La connexion s’est terminée avant l’arrivée du message complet. La plupart des expéditeurs réessaieront.',
    fault: 'Une erreur interne. L’expéditeur réessaiera. Les détails sont dans le journal.',
    server_full: 'Toutes les connexions SMTP étaient occupées. L’expéditeur réessaiera.',
    made_room: 'La connexion a été fermée pour faire place à une autre. L’expéditeur réessaiera.',
    shutting_down: 'Le serveur était en cours d’arrêt. L’expéditeur réessaiera.',
    too_many_connections: 'Trop de connexions simultanées de cet expéditeur. Il réessaiera.',
    too_many_connects: 'Trop de nouvelles connexions par minute de cet expéditeur. Il réessaiera.',
    too_many_faults: 'Trop de commandes non valides ou de destinataires inconnus dans une connexion.',
    session_too_long: 'La connexion est restée ouverte trop longtemps.',
    fault_on_demand: 'Une règle d’erreur SMTP de la trap l’a demandé.',
    too_slow: 'Le message est arrivé trop lentement.',
  },
  title: 'E-mails refusés',
  about: (days: number) =>
    plural(days, {
      one: `E-mails à ce compte qui ont été refusés, et pourquoi. Conservés ${days} jour.`,
      other: `E-mails à ce compte qui ont été refusés, et pourquoi. Conservés ${days} jours.`,
    }),
  empty: 'Aucun e-mail à ce compte n’a été refusé.',
  emptyForOperator:
    'Aucun e-mail à ce compte n’a été refusé. Les e-mails à des adresses inconnues sont dans « Serveur », « Tous les e-mails refusés ».',
  allTitle: 'Tous les e-mails refusés',
  allAbout:
    'E-mails refusés, quel que soit le destinataire. Les entrées semblables sont regroupées ; en cas d’afflux, seule une partie est conservée.',
  allEmpty: 'Aucun e-mail à ce serveur n’a été refusé.',
  none: 'Aucun e-mail refusé',
  dropped: 'coupée',
  noRecipient: 'Aucun destinataire indiqué',
  span: (first: string, last: string) => `du ${first} au ${last}`,
  from: 'De {from} via {client} : {reply}',
  report: '<> (rapport de livraison)',
} satisfies Words['diary'];
