export interface Finding {
  name: string;
  ok: boolean;
  /** One or more sentences for a person: the result and, if something is wrong, the remedy. */
  detail: string;
}
