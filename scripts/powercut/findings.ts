/** What a check may find wrong, and the resulting figures. */
export const findingKinds = {
  lost: 'a mail, key, inbox, email, delivery or deletion that was answered is lost',
  doubled: 'an inbox has a mail twice',
  half: 'only some of its recipients have a mail',
  damaged: "a mail's bytes, code or link differ from what was sent, or the store is corrupt",
  notStarted: 'the server does not start, or not a second time',
  key: 'server.key does not open what the store has sealed',
  copy: 'a backup, or a copy kept beside the store, is incomplete, missing, or the wrong one',
  other: 'anything else',
} as const;

export type FindingKind = keyof typeof findingKinds;

export interface Finding {
  kind: FindingKind;
  detail: string;
}

export interface Checked {
  findings: Finding[];
  /** Mails that had to exist, and those whose bytes were compared. */
  mails: number;
  compared: number;
}

export class Findings {
  readonly all: Finding[] = [];

  add(kind: FindingKind, detail: string): void {
    this.all.push({ kind, detail });
  }
}
