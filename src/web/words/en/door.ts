/** Signing in, signing up, and links that work once. */
export default {
  signIn: 'Sign in',
  signInInstead: 'Sign in instead',
  createAccount: 'Create account',
  createAnAccount: 'Create an account',
  inboxesAt: (domain: string, plan: string) => `Inboxes at ${domain}, on the ${plan} plan.`,
  sessionEnded: 'Your session has ended. Sign in again to continue where you were.',
  email: 'Email',
  code: 'Code',
  codeHint: 'From your authenticator app, or one of your recovery codes.',
  cannotSignIn:
    'Can’t sign in? Ask an owner of your account for a link from Members. Operators can run {command}.',
  join: 'Join',
  joinAccount: (account: string) => `Join ${account}`,
  joinAbout: (email: string) =>
    `You are signed in as ${email}. Your password stays the same, and you can switch between your accounts.`,
  choosePassword: 'Choose a password',
  chooseNewPassword: 'Choose a new password',
  invitedAsOwner: (account: string) => `You were invited to ${account} as an owner.`,
  invitedAsMember: (account: string) => `You were invited to ${account} as a member.`,
  returning: (account: string) => `This one-time link gets you back into ${account}.`,
  setUp: 'Set up Postern',
  setUpAbout: 'This creates the account that operates this server.',
  setUpKnown: 'Choose how the operator of this server signs in.',
  continue: 'Continue',
  badLink: 'This link does not work',
  backToSignIn: 'Back to sign in',
  noAccess: 'No access',
  accountIs: {
    active: 'This account is active',
    unverified: 'This account is unverified',
    suspended: 'This account is suspended',
    inactive: 'This account is inactive',
  },
  notUsable: (account: string) => `${account} can’t be used. Contact the server’s operator.`,
  switchTo: (account: string) => `Switch to ${account}`,
  signOut: 'Sign out',
  singleSignOn: 'Sign in with single sign-on',
  continueWithSingleSignOn: 'Continue with single sign-on',
  oidcProblems: {
    unreachable: 'The identity provider can’t be reached. Sign in with your password, or try again later.',
    refused:
      'The identity provider’s answer was refused. Try again; if it keeps happening, ask the server’s operator.',
    expired: 'This sign-in took too long or was used before. Try again.',
    unverified: 'The identity provider has not verified your email.',
    not_allowed: 'You are not allowed to sign in here. Ask an owner of the account to invite you.',
    not_connected:
      'An account here has your email, but single sign-on is not connected to it. Open your invitation, or sign in with its password and connect single sign-on under Profile.',
    other_email:
      'The identity provider has another email for you than the one that was invited. The invitation still works: use the invited email there, or continue another way.',
    other_person:
      'This email belongs to another person at the identity provider. Ask an owner to remove that member first.',
  },
};
