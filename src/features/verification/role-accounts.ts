import { splitWords } from './split-words.ts';

/*
 * Local parts that belong to a role instead of a person: those of RFC 2142, and common ones in several languages.
 * Maintained by hand, because published lists include `berlin`, `apple` and `2024`, which are many people's addresses.
 */
const roleAccounts = splitWords(`
  abuse admin administrator administrators admins hostmaster postmaster webmaster root sysadmin sysop noc security
  usenet news uucp ftp www www-data web webadmin mailer mailer-daemon mailerdaemon daemon nobody null devnull
  noreply no-reply no_reply no.reply donotreply do-not-reply do_not_reply do.not.reply noresponse bounce bounces
  list list-request listserv listmaster majordomo mailman owner subscribe unsubscribe undisclosed-recipients
  dns domain domains domainmaster hostname registrar arin-abuse ripe-abuse csirt cert soc psirt phishing spam fbl
  dmarc dmarc-reports postfix smtp mail email mailbox postbox inbox

  info information infos contact contacts contact-us contactus hello hi hey hola kontakt contacto contato contatti
  office offices reception receptionist frontdesk front-desk frontoffice headoffice hq enquiries enquiry inquiries
  inquiry enquire ask questions question general welcome mailroom

  support supportteam support-team help helpdesk help-desk service services servicedesk service-desk customerservice
  customer-service customer.service customercare customer-care customersupport customer-support customersuccess
  customer customers client clients clientservices care techsupport tech-support technical tech it ithelp itsupport
  it-support tickets ticket feedback complaints suggestions faq kundenservice kundendienst kundeservice
  soporte suporte sac atendimento assistenza servicioalcliente atencionalcliente serviceclient

  sales salesteam sales-team presales sale orders order ordering shop store billing invoices invoice invoicing
  accounts accounting accountspayable accounts-payable accountsreceivable accountant payable receivable payments
  payment payroll finance treasury tax purchasing purchase purchases procurement shipping delivery logistics returns
  warehouse quotes quote reservations reservation booking bookings events event subscriptions
  vertrieb verkauf bestellung bestellungen einkauf buchhaltung rechnung rechnungen versand ventas vendas compras
  comercial commercial facturacion faturamento financeiro contabilidad contabilidade comptabilite compta achats
  commandes facturation ordini vendite acquisti amministrazione contabilita biuro sklep zamowienia sprzedaz zakaz
  reserva reservas

  marketing advertising advertise ads promo promotions newsletter newsletters campaign campaigns press media pr
  publicrelations communications comms social socialmedia partners partner partnerships affiliate affiliates
  sponsorship sponsors presse prensa imprensa redaktion redaction redaccion redazione redacao editor editors
  editorial

  hr humanresources human-resources jobs job career careers recruiting recruitment recruiter recruiters hiring
  talent personnel people peopleops bewerbung bewerbungen karriere personal-abteilung rh rrhh empleo recrutement
  legal compliance privacy dpo dataprotection data-protection gdpr datenschutz copyright dmca trademark
  investors investor investorrelations ir board management directors director executive executives ceo cfo cto coo
  presidente direccion direction direzione gerencia geschaeftsfuehrung

  team teams staff all all-staff allstaff everyone everybody employees company crew group committee members
  membership member volunteers volunteer donations alumni students faculty registrar-office admissions
  dev devs developer developers devops development engineering engineers eng ops operations infra infrastructure
  sre oncall on-call qa test testing build ci bot robot automation api webdev design product production
  alert alerts monitoring monitor notifications notification notify system systems server backup cron errors error
  bugs bug jira git status reports report reporting
  sekretariat secretaria secretariat secretary secretary-general empfang zentrale poststelle oficina verwaltung
  rezeption recepcion accueil segreteria protocollo
`);

/** Whether a local part belongs to a role. Ignores case, a `+tag` and a trailing number (`sales2`). */
export function isRole(local: string): boolean {
  const name = local.toLowerCase().replace(/^"(.*)"$/, '$1');
  const plus = name.indexOf('+');
  const base = plus > 0 ? name.slice(0, plus) : name;
  return roleAccounts.has(base) || roleAccounts.has(base.replace(/(?<=[a-z])\d{1,2}$/, ''));
}
