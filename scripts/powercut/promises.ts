/** What Postern has promised at a moment, from the marks in the recording up to then. */
import type { LogRecord } from './log.ts';

export type Mark =
  | { is: 'ready' }
  | { is: 'account'; email: string; key: string }
  | { is: 'key'; key: string }
  | { is: 'key gone'; key: string }
  | { is: 'inbox'; id: string; address: string }
  | { is: 'inbox going'; id: string }
  | { is: 'inbox gone'; id: string }
  | { is: 'webhook'; inbox: string }
  | { is: 'secret'; inbox: string; secret: string }
  /** Before a mail is sent, and after its 250; `to` are ids of inboxes. */
  | { is: 'sending'; mail: number; to: string[] }
  | { is: 'mail'; mail: number }
  /** Before and after a DELETE of a message. */
  | { is: 'deleting'; mail: number; inbox: string }
  | { is: 'deleted'; mail: number; inbox: string }
  | { is: 'email'; id: string }
  | { is: 'email sent'; id: string }
  /** At the receivers, before they answer: the email's Message-ID, and the event with its message. */
  | { is: 'email arrived'; id: string }
  | { is: 'event arrived'; id: string; message: string }
  | { is: 'step'; step: Step };

export type Step =
  | 'stop'
  | 'kill'
  | 'backup begins'
  | 'backup done'
  | 'restore begins'
  | 'restore done'
  | 'deletions begin'
  | 'account gone'
  | 'domain gone'
  | 'CA has account'
  | 'CA has key'
  | 'certificate'
  | 'import begins'
  | 'imported'
  | 'mbox exported'
  | 'folder exported'
  | 'maildir exported'
  | 'end';

export interface Marked {
  n: number;
  mark: Mark;
}

export function readMarks(records: readonly LogRecord[]): Marked[] {
  return records.flatMap(({ n, op, mark }) => (op === 'mark' ? [{ n, mark: mark as Mark }] : []));
}

export interface Promises {
  keys: string[];
  /** Addresses by inbox id. */
  inboxes: Map<string, string>;
  /** Inboxes whose deletion began, and those whose deletion was answered. */
  inboxesGoing: Set<string>;
  inboxesGone: Set<string>;
  hooked: Set<string>;
  /** Inboxes of each mail that was begun, and the mails answered 250, in order. */
  sending: Map<number, string[]>;
  mails: Set<number>;
  /** Copies with a promised webhook delivery: the inbox had a webhook before the mail was begun. */
  deliveries: Set<string>;
  /** Copies whose deletion began, and those whose deletion was answered. */
  deleting: Set<string>;
  deleted: Set<string>;
  emails: Set<string>;
  emailsSent: Set<string>;
  isReady: boolean;
  steps: Step[];
}

export function nameCopy(mail: number, inbox: string): string {
  return `${mail} ${inbox}`;
}

export function promisesAt(marks: readonly Marked[], n: number): Promises {
  const promises: Promises = {
    keys: [],
    inboxes: new Map(),
    inboxesGoing: new Set(),
    inboxesGone: new Set(),
    hooked: new Set(),
    sending: new Map(),
    mails: new Set(),
    deliveries: new Set(),
    deleting: new Set(),
    deleted: new Set(),
    emails: new Set(),
    emailsSent: new Set(),
    isReady: false,
    steps: [],
  };
  for (const marked of marks) {
    if (marked.n > n) break;
    add(promises, marked.mark);
  }
  return promises;
}

function add(promises: Promises, mark: Mark): void {
  if (mark.is === 'ready') promises.isReady = true;
  else if (mark.is === 'account' || mark.is === 'key') promises.keys.push(mark.key);
  else if (mark.is === 'inbox') promises.inboxes.set(mark.id, mark.address);
  else if (mark.is === 'inbox going') promises.inboxesGoing.add(mark.id);
  else if (mark.is === 'inbox gone') promises.inboxesGone.add(mark.id);
  else if (mark.is === 'webhook') promises.hooked.add(mark.inbox);
  else if (mark.is === 'sending') {
    promises.sending.set(mark.mail, mark.to);
    for (const inbox of mark.to) {
      if (promises.hooked.has(inbox)) promises.deliveries.add(nameCopy(mark.mail, inbox));
    }
  } else if (mark.is === 'mail') promises.mails.add(mark.mail);
  else if (mark.is === 'deleting') promises.deleting.add(nameCopy(mark.mail, mark.inbox));
  else if (mark.is === 'deleted') promises.deleted.add(nameCopy(mark.mail, mark.inbox));
  else if (mark.is === 'email') promises.emails.add(mark.id);
  else if (mark.is === 'email sent') promises.emailsSent.add(mark.id);
  else if (mark.is === 'step') promises.steps.push(mark.step);
}
