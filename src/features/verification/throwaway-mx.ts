import { splitWords } from './split-words.ts';

/**
 * Domains of the mail servers of disposable-address providers. Such a provider adds new domains every week, which no
 * list has yet, but uses the same servers: an MX host that equals one of these, or is below one, gives a domain away.
 */
export const throwawayMx: ReadonlySet<string> = splitWords(`
  mailinator.com yopmail.com guerrillamail.com guerrillamail.org sharklasers.com grr.la
  mail.tm mail.gw 1secmail.com 1secmail.org 1secmail.net
  temp-mail.org temp-mail.io temp-mail.ru tempmail.plus mailto.plus tempail.com tempr.email tempmail.net temp-mail.de
  emailfake.com email-fake.com generator.email emailtemporanea.com fakemail.net fakemailgenerator.com
  maildrop.cc mailsac.com mailnesia.com mailcatch.com mailpoof.com mailtemp.info
  discard.email discardmail.com dropmail.me getnada.com nada.email moakt.com moakt.cc mohmal.com
  10minutemail.com 10minutemail.net 10minutemail.org 20minutemail.com minuteinbox.com 10mail.org
  throwawaymail.com trash-mail.com trashmail.de wegwerfmail.de wegwerfemail.de muellmail.com byom.de
  emailondeck.com inboxkitten.com harakirimail.com spamex.com mytemp.email tempinbox.com spam4.me
  linshiyouxiang.net altmails.com gmailnator.com emailnator.com
`);
