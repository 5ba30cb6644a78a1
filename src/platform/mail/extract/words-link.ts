/** Words of links that do not sign in, by language. */
export const linkWords = {
  unsubscribe: {
    latin:
      'unsubscribe, opt out, opt-out, preferences, email settings, notification settings, notifications, manage emails, update your email, abmelden, abbestell, désabonn, désinscri, darse de baja, cancelar suscrip, desuscrib, descadastr, cancelar inscri, cancella iscriz, disiscriv, annulla iscriz, uitschrijv, afmeld, avregistrera, avsluta prenum, avmeld, afmeld, peruuta tilaus, wypisz, odhlás, odjav, leiratkoz, dezabon, abonelikten, listeden çık, berhenti berlangganan, hủy đăng ký, mute, turn off',
    other:
      'отписа, відписа, κατάργηση εγγραφής, διαγραφή από, إلغاء الاشتراك, لغو اشتراک, הסר, להסרה, सदस्यता समाप्त, 退订, 取消订阅, 取消訂閱, 退訂, 配信停止, 購読解除, 수신거부, 수신 거부, ยกเลิกการสมัคร, ยกเลิกการรับ',
  },
  legal: {
    latin:
      'privacy, terms, policy, policies, legal, cookie, datenschutz, impressum, =agb, nutzungsbeding, confidentialit, mentions légales, conditions, privacidad, términos, privacidade, termos, informativa, termini, voorwaarden, integritet, villkor, personvern, vilkår, tietosuoja, ehdot, prywatno, regulamin, soukromí, podmínky, adatvéd, confidențial, gizlilik, koşul, privasi, ketentuan, bảo mật thông tin, điều khoản, license',
    other:
      'конфиденц, услови, конфіденц, умови, απόρρητ, όροι, الخصوصية, الشروط, حریم خصوصی, פרטיות, תנאי, गोपनीय, 隐私, 隱私, 条款, 條款, プライバシー, 利用規約, 개인정보, 약관, ความเป็นส่วนตัว, ข้อกำหนด',
  },
  help: {
    latin:
      'help, support, contact, =faq, faqs, questions, customer service, learn more, documentation, =docs, guide, feedback, hilfe, kontakt, mehr erfahren, aide, assistance, contactez, en savoir plus, ayuda, soporte, contact, más información, ajuda, suporte, saiba mais, aiuto, assistenza, contatt, scopri, meer informatie, hjälp, läs mer, hjelp, hjælp, læs mere, les mer, apua, tuki, lue lisää, pomoc, nápověda, podpora, segítség, ajutor, asistență, yardım, destek, bantuan, hubungi, trợ giúp, hỗ trợ, liên hệ',
    other:
      'помощ, поддержк, допомог, підтрим, βοήθεια, υποστήριξη, επικοινων, مساعدة, الدعم, اتصل, راهنما, پشتیبانی, עזרה, תמיכה, צור קשר, सहायता, मदद, 帮助, 幫助, 客服, 联系, 聯絡, ヘルプ, サポート, お問い合わせ, 도움말, 고객센터, 문의, ช่วยเหลือ, ติดต่อ',
  },
  /** To view or buy something. */
  view: {
    en: 'view, =see, track, manage, read more, =read, shop, buy, download, upgrade, =rate, review, watch, browse, explore, visit, open in, web version, online version, in browser, in your browser, check out, pay now, pay invoice, =pay, renew, billing, update payment, add to calendar, calendar, directions, share, forward, follow us, website, dashboard, go to, discover, try it, =try, claim, order, donate, survey, vote, play, apply, schedule, tweet, facebook, twitter, instagram, linkedin, youtube, app store, google play, =home, blog, news, reply, comment, details, invoice, receipt',
    latin:
      'ansehen, anzeigen, verfolgen, herunterladen, bewerten, verwalten, kaufen, einkaufen, zur bestellung, im browser, voir, suivre, télécharger, gérer, acheter, boutique, évaluer, navigateur, ver pedido, ver en, ver mi, ver no, ver a, rastrear, seguir, descargar, gestionar, comprar, tienda, navegador, baixar, gerenciar, loja, visualizza, vedi, traccia, scarica, gestisci, acquista, negozio, bekijk, volg je, beheer, winkel, visa, spåra, hantera, köp, handla, vis, =spor, administrer, kjøp, køb, näytä, katso, seuraa, hallitse, osta, zobacz, śledź, pobierz, zarządz, kup, zobrazit, sledovat, stáhnout, spravovat, koupit, megtekint, követ, letölt, vásárl, vezi, urmăreș, descarcă, gestion, cumpăr, görüntüle, takip et, indir, yönet, satın, alışveriş, lihat, lacak, unduh, kelola, =beli, belanja, xem, theo dõi, tải, quản lý, mua',
    other:
      'посмотреть, отследить, скачать, управлять, купить, перейти в каталог, переглянути, відстежити, завантажити, придбати, виж, преглед, прати, προβολή, δείτε, παρακολούθ, λήψη, αγορά, عرض, تتبع, تحميل, إدارة, تسوق, شراء, مشاهده, دانلود, خرید, הצג, צפה, עקוב, הורד, קנה, देखें, डाउनलोड, खरीद, 查看, 跟踪, 下载, 管理, 购买, 購買, 查詢, 表示, 確認する方法, ダウンロード, 購入, 見る, 詳細, 보기, 다운로드, 구매, 조회, 바로가기, ดู, ติดตาม, ดาวน์โหลด, ซื้อ',
  },
} as const;
