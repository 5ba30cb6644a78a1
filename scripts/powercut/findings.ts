/** What a check can find wrong, and the figures that come of it. */
export const findingKinds = {
  lost: 'a mail, key, inbox, email, delivery or delete that was answered is not there any more',
  doubled: 'a mail is twice in an inbox',
  half: 'a mail is there for some of its recipients only',
  damaged: 'bytes, code or link of a mail are not what was sent, or the store is not sound',
  notStarted: 'the server does not start, or not a second time',
  key: 'server.key does not open what the store has sealed',
  copy: 'a backup, or a copy kept beside the store, is not whole, not there, or not the right one',
  other: 'anything else',
} as const;

export type FindingKind = keyof typeof findingKinds;

export interface Finding {
  kind: FindingKind;
  detail: string;
}

/** What one check did. */
export interface Checked {
  findings: Finding[];
  /** Mails that had to be there, and those whose bytes were compared. */
  mails: number;
  compared: number;
}

export class Findings {
  readonly all: Finding[] = [];

  add(kind: FindingKind, detail: string): void {
    this.all.push({ kind, detail });
  }
}
