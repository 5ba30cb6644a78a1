export interface Finding {
  name: string;
  ok: boolean;
  /** One or more sentences for a person: what was seen and, when it is not as it should be, what to do. */
  detail: string;
}
