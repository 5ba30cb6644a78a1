/** Kinds of mail that are easily misread, one by one. */
import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { fitKinds } from '../../../corpus/extraction/fit-kinds.ts';
import { ownMails } from '../../../corpus/extraction/mails.ts';

const names = new Set(fitKinds.map(({ name }) => name));
const bare = (code: string | null) => code?.replace(/[\s-]/g, '') ?? null;

describe('the code and the link, or neither, of', () => {
  for (const mail of ownMails('fit').filter(({ name }) => names.has(name))) {
    test(`${mail.language}: ${mail.name}`, () => {
      const { otp, magic_link } = extract(mail);
      expect([bare(otp), magic_link]).toEqual([bare(mail.otp), mail.magic_link]);
    });
  }
});
