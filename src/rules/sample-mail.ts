/** The test mail of `postern send` and of the dashboard. */
export const SAMPLE_FROM = 'Postern <test@example.com>';

export interface SampleMail {
  code: string;
  subject: string;
  text: string;
}

/** Makes a mail with this code, or a random one. */
export function makeSampleMail(code = makeCode()): SampleMail {
  return {
    code,
    subject: `Your sign-in code is ${code}`,
    text: `Hello,\n\nYour sign-in code is ${code}. It is valid for 10 minutes.\n\nIf you did not ask for it, ignore this mail.\n`,
  };
}

function makeCode(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000).padStart(6, '0');
}
