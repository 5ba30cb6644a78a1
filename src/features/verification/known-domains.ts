import { splitWords } from './split-words.ts';

/*
 * Well-known domains, as tables. None may be on the list of disposable domains: scripts/refresh-lists excludes them,
 * and a test checks it.
 */

/** Providers of free mailboxes, and of mailboxes that come with an internet connection. */
export const freeProviders: ReadonlySet<string> = splitWords(`
  gmail.com googlemail.com
  outlook.com outlook.fr outlook.de outlook.es outlook.it outlook.jp outlook.pt outlook.dk outlook.be outlook.ie
  outlook.at outlook.kr outlook.sa outlook.co.th outlook.co.id outlook.com.br outlook.com.au outlook.com.ar outlook.in
  hotmail.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es hotmail.se hotmail.no hotmail.nl hotmail.be
  hotmail.dk hotmail.fi hotmail.gr hotmail.ch hotmail.ca hotmail.co.jp hotmail.co.th hotmail.com.ar hotmail.com.br
  hotmail.com.au hotmail.com.mx hotmail.com.tr hotmail.cl hotmail.co.il hotmail.hu hotmail.rs hotmail.sg
  live.com live.co.uk live.fr live.de live.it live.nl live.be live.ca live.se live.no live.dk live.com.au live.com.mx
  live.com.ar live.com.pt live.cn live.jp live.in live.ie live.at live.cl msn.com passport.com windowslive.com
  yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.ca yahoo.in yahoo.ie yahoo.se yahoo.no yahoo.dk
  yahoo.nl yahoo.be yahoo.gr yahoo.pl yahoo.ro yahoo.cz yahoo.hu yahoo.at yahoo.ch yahoo.cl yahoo.fi yahoo.pt
  yahoo.co.in yahoo.co.jp yahoo.co.id yahoo.co.kr yahoo.co.nz yahoo.co.th yahoo.co.za yahoo.co.il yahoo.com.ar
  yahoo.com.au yahoo.com.br yahoo.com.cn yahoo.com.hk yahoo.com.mx yahoo.com.my yahoo.com.ph yahoo.com.sg
  yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.com.co yahoo.com.pe yahoo.com.ve ymail.com rocketmail.com yahoo.cn
  myyahoo.com aol.com aol.co.uk aol.de aol.fr aol.it aim.com verizon.net netscape.net netscape.com love.com games.com
  icloud.com me.com mac.com
  proton.me protonmail.com protonmail.ch pm.me
  gmx.com gmx.net gmx.de gmx.at gmx.ch gmx.us gmx.co.uk gmx.fr gmx.es gmx.eu gmx.info gmx.org
  web.de email.de mail.de freenet.de t-online.de arcor.de posteo.de posteo.net posteo.eu mailbox.org magenta.de
  vodafone.de o2online.de online.de kabelmail.de unitybox.de
  mail.com email.com usa.com europe.com asia.com post.com engineer.com consultant.com myself.com dr.com techie.com
  writeme.com iname.com mail.org cheerful.com
  zoho.com zohomail.com zohomail.eu zohomail.in zoho.eu
  fastmail.com fastmail.fm fastmail.net fastmail.org fastmail.de fastmail.co.uk fastmail.jp sent.com messagingengine.com
  tutanota.com tutanota.de tutamail.com tuta.com tuta.io keemail.me
  hushmail.com hushmail.me hey.com hey.xyz runbox.com startmail.com mailfence.com disroot.org riseup.net
  autistici.org ctemplar.com kolabnow.com countermail.com thexyz.com pobox.com onmail.com skiff.com lavabit.com
  yandex.com yandex.ru yandex.by yandex.kz yandex.ua ya.ru narod.ru mail.ru inbox.ru bk.ru list.ru internet.ru xmail.ru
  rambler.ru lenta.ru ro.ru autorambler.ru myrambler.ru ukr.net i.ua meta.ua bigmir.net tut.by
  qq.com vip.qq.com foxmail.com 163.com 126.com yeah.net vip.163.com vip.126.com 188.com sina.com sina.cn vip.sina.com
  sohu.com tom.com 139.com 189.cn wo.cn aliyun.com 263.net
  naver.com daum.net hanmail.net nate.com kakao.com
  docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp ymobile.ne.jp nifty.com ocn.ne.jp biglobe.ne.jp
  so-net.ne.jp excite.co.jp goo.jp
  orange.fr wanadoo.fr free.fr sfr.fr neuf.fr laposte.net bbox.fr numericable.fr club-internet.fr aliceadsl.fr voila.fr
  libero.it virgilio.it tiscali.it alice.it tim.it tin.it iol.it inwind.it poste.it aruba.it fastwebnet.it email.it
  telefonica.net terra.es movistar.es ono.com
  sapo.pt iol.pt mail.pt
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com zipmail.com.br oi.com.br
  wp.pl onet.pl o2.pl interia.pl interia.eu interia.com gazeta.pl tlen.pl poczta.onet.pl vp.pl op.pl poczta.fm int.pl
  seznam.cz email.cz centrum.cz post.cz volny.cz atlas.cz azet.sk zoznam.sk centrum.sk
  freemail.hu citromail.hu indamail.hu
  abv.bg mail.bg dir.bg walla.co.il walla.com
  ziggo.nl kpnmail.nl kpnplanet.nl planet.nl hetnet.nl home.nl xs4all.nl upcmail.nl chello.nl casema.nl quicknet.nl
  skynet.be telenet.be proximus.be scarlet.be pandora.be voo.be
  bluewin.ch hispeed.ch sunrise.ch swissonline.ch vtxnet.ch
  a1.net aon.at chello.at
  telia.com spray.se comhem.se bredband.net tele2.se online.no broadpark.no c2i.net tdcadsl.dk mail.dk jubii.dk
  stofanet.dk elisanet.fi kolumbus.fi luukku.com suomi24.fi inbox.lv inbox.lt inbox.eu
  btinternet.com bt.com talktalk.net sky.com virginmedia.com ntlworld.com blueyonder.co.uk tiscali.co.uk plusnet.com
  eircom.net
  comcast.net xfinity.com att.net sbcglobal.net bellsouth.net pacbell.net ameritech.net swbell.net prodigy.net cox.net
  charter.net spectrum.net roadrunner.com rr.com twc.com earthlink.net mindspring.com juno.com netzero.net netzero.com
  frontier.com frontiernet.net windstream.net centurylink.net centurytel.net embarqmail.com q.com optimum.net
  optonline.net suddenlink.net cableone.net sparklight.net mchsi.com wowway.com rcn.com
  rogers.com shaw.ca sympatico.ca bell.net videotron.ca telus.net cogeco.ca eastlink.ca
  bigpond.com bigpond.net.au optusnet.com.au iinet.net.au westnet.com.au tpg.com.au ozemail.com.au internode.on.net
  dodo.com.au xtra.co.nz slingshot.co.nz
  rediffmail.com rediff.com indiatimes.com
  mweb.co.za telkomsa.net vodamail.co.za webmail.co.za
  prodigy.net.mx live.com.ve une.net.co
  lycos.com excite.com inbox.com lycos.de bigfoot.com usa.net care2.com
`);

/** Services whose addresses forward to a person's own mailbox. People keep these for privacy, as long as they like. */
export const relayServices: ReadonlySet<string> = splitWords(`
  privaterelay.appleid.com duck.com mozmail.com relay.firefox.com
  simplelogin.com simplelogin.co simplelogin.fr simplelogin.io slmail.me slmails.com aleeas.com 8alias.com 8shield.net
  dralias.com silomails.com
  passmail.net passmail.com passinbox.com passfwd.com
  anonaddy.com anonaddy.me addy.io addymail.com 4wrd.cc
  opayq.com cloaked.id cloaked.com erine.email forwardemail.net fastmail.com hide.fastmail.com
`);

/**
 * The domains that typos are compared with, largest first: of two that are equally close, the larger is meant. Short
 * names are excluded, because other real domains differ from them by one letter.
 */
export const oftenMistyped: readonly string[] = [
  ...splitWords(`
  gmail.com yahoo.com hotmail.com outlook.com icloud.com comcast.net googlemail.com protonmail.com yandex.ru t-online.de
  yahoo.co.uk hotmail.co.uk btinternet.com yahoo.co.in yahoo.com.br uol.com.br bol.com.br
  orange.fr wanadoo.fr laposte.net yahoo.fr hotmail.fr libero.it virgilio.it hotmail.it yahoo.it
  sbcglobal.net verizon.net bellsouth.net earthlink.net rediffmail.com fastmail.com seznam.cz bigpond.com rambler.ru
`),
];
