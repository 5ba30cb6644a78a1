import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

export default {
  hold: {
    title: 'Approbation',
    on: 'Activée. Les e-mails des membres et de leurs clés d’API attendent l’accord d’un propriétaire.',
    off: 'Désactivée. Une fois activée, un propriétaire approuve ce que les membres et leurs clés d’API envoient.',
    inboxOn:
      'Activée pour cette boîte. Les e-mails que les membres et leurs clés d’API envoient d’ici attendent l’accord d’un propriétaire.',
    inboxOff:
      'Désactivée pour cette boîte. Une fois activée, un propriétaire approuve ce que les membres et leurs clés d’API envoient d’ici.',
    waiting: 'En attente d’approbation',
    asked: (by: string) => `Demandé par ${by}`,
    until: (time: string) => `refusé le ${time} sans approbation`,
    review: 'Examiner',
    reviewOne: (subject: string) => `Examiner ${subject}`,
    to: 'Destinataires',
    approve: 'Approuver et envoyer',
    reject: 'Refuser',
    reason: 'Motif du refus (facultatif)',
    approved: 'E-mail approuvé',
    rejected: 'E-mail refusé',
  },
  senders: {
    about:
      'Qui peut écrire à chaque boîte. Ce que les listes écartent est conservé et peut être accepté ici.',
    none: 'Aucune boîte pour l’instant',
    all: 'Toutes les boîtes',
    who: 'Qui peut écrire',
    everyone: 'Tout le monde, sauf les expéditeurs bloqués',
    allowedOnly: 'Seulement les expéditeurs autorisés dont l’identité est vérifiée',
    allow: 'Expéditeurs autorisés',
    allowHint:
      'Un par ligne : ann@example.com, example.com, ou *.example.com pour tout ce qui est en dessous.',
    block: 'Expéditeurs bloqués',
    blockHint: 'Même format. L’entrée la plus précise l’emporte.',
    save: 'Enregistrer',
    saved: 'Enregistré. S’applique aux nouveaux e-mails.',
    withheld: 'Messages retenus',
    withheldAbout: 'Affichés dans la boîte seulement une fois acceptés.',
    noneWithheld: 'Aucun message retenu',
    reasons: {
      blocked: 'bloqué',
      not_allowed: 'non autorisé',
      unproven: 'en cours de vérification',
      unauthenticated: 'non vérifié',
    },
    read: 'Lire',
    readOne: (subject: string) => `Lire ${subject}`,
    accept: 'Accepter',
    acceptOne: (subject: string) => `Accepter ${subject}`,
    deleteOne: (subject: string) => `Supprimer ${subject}`,
    deleteTitle: 'Supprimer ce message ?',
    deleteBody: (subject: string) => `« ${subject} » ne pourra pas être restauré.`,
    accepted: 'Accepté. Le message est dans la boîte.',
    more: (count: number) => `Les ${number(count)} premiers sont affichés.`,
  },
} satisfies Words['contacts'];
