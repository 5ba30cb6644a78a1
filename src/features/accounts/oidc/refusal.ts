/** Why the identity provider's answer was refused. */
import type { OidcPurpose } from './purpose.ts';

/** As the page explains it to which the refusal leads. */
export type OidcProblem =
  | 'unreachable'
  | 'refused'
  | 'expired'
  | 'unverified'
  | 'not_allowed'
  | 'not_connected'
  | 'other_email'
  | 'other_person';

export class OidcRefusal extends Error {
  constructor(
    readonly problem: OidcProblem,
    readonly detail: string,
    /** What the person was about to do. */
    readonly purpose: OidcPurpose = { to: 'sign_in' },
  ) {
    super(problem);
  }
}
