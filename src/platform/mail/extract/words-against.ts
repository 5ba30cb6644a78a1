/** Words next to numbers that are not codes, by what the number is. */

/** Names of the numbers of a company: they identify it, and are small print. */
const companyNumbers =
  'handelsregister, =hrb, =ust-id, ust-idnr, =siret, =siren, =rcs, =cif, =nipc, =cnpj, =p. iva, partita iva, =rea, =kvk, =btw, =org.nr, org. nr, =orgnr, organisasjonsnummer, =cvr, y-tunnus, =regon, =krs, =ičo, =ič, =dič, =pib, matični broj, matična, adószám, cégjegyzék, =cui, =mersis, =nipt, =voen, =vöen, =npwp, regisztráció, reg. nr, reģ. nr, įmonės kodas, registrikood, =огрн, =кпп, =едрпоу, =єдрпоу, =еик, =бин, =унп, =ембс, ΓΕΜΗ, ח.פ, =עמ, سجل تجاري, الرقم الضريبي, gstin, ทะเบียนเลขที่, 统一社会信用代码, 統一編號, 統編, 法人番号, 登録番号, 사업자등록번호, 사업자번호, 통신판매';

export const againstWords = {
  /** A number that identifies something: an order, a parcel, a case, an account. */
  order: {
    en: 'order, invoice, receipt, tracking, track your, shipment, shipping, parcel, package, reference, =ref, booking, reservation, itinerary, check-in, =checkout date, =nights, =guests, ticket, case id, case no, case number, =case, customer number, customer no, customer id, account number, account no, account id, user id, member, membership, policy no, policy number, transaction, payment id, serial, product, sku, item no, item number, article, model, contract, request id, request number, incident, quote, quotation, purchase, vat, =po number, claim, document, delivery, confirmation number, flight, seat, gate, terminal, room, =iban, =bic, license, build, release, version, error, issue, pull request, commit, meeting id, conference id, dial, extension, student, employee, patient, batch, lot no, =crn, abn, statement number, statement no, file number, file no, folio, loan number, job number, job no, matter number, docket, badge number, report number, report id, session id, event id, trace id, cheque number, check number, edition, company number, registered in, vat no, vat id, company no, charity no, registration no, registration number, registered number, subscription',
    company: companyNumbers,
    /** Numbers that a person has too: a mail may name its reader by one, beside a code. */
    person:
      '=uid, =nif, =nie, =cpf, =rfc, =nit, =cuit, =ruc, kennitala, =nip, =oib, vergi no, =vkn, mst, mã số thuế, =инн, =стир, αφμ, ת.ז, شناسه ملی, =cin',
    latin:
      'bestell, rechnung, sendung, auftrag, vorgang, kundennummer, kunden-nr, vertrag, buchung, lieferung, paket, referenz, artikel, aktenzeichen, mitglied, ticketnummer, steuer, belegnummer, *nummer, ausgabe, édition, edición, edição, edizione, edició, uitgave, utgåva, utgave, udgave, wydani, vydání, vydanie, kiadás, lapszám, ediți, =sayı, izdanj, commande, facture, colis, suivi, réservation, référence, dossier, numéro, abonnement, billet, client, pedido, factura, envío, paquete, seguimiento, =reserva, =reservas, reservaci, referencia, número, recibo, cliente, fatura, encomenda, rastreio, rastreamento, recibo, ordine, utenza, fornitura, pratica, fattura, spedizione, pacco, prenotazione, riferimento, ricevuta, bestelling, factuur, zending, verzending, pakket, boeking, reservering, klantnummer, kenmerk, beställning, faktura, försändelse, leverans, bokning, ordre, kvittering, forsendelse, pakke, bestilling, sporing, levering, tilaus, lasku, lähetys, paketti, varaus, asiakasnumero, zamówieni, faktur, przesył, paczk, rezerwac, klienta, objednáv, zásilk, balík, rezervac, faktúr, zásielk, narudžb, račun, pošiljk, naročil, rendelés, számla, csomag, szállít, foglalás, ügyfél, comand, factur, colet, livrare, rezervare, sipariş, fatura, kargo, gönderi, rezervasyon, takip, müşteri, pesanan, faktur, pengiriman, resi, paket, pemesanan, pesanan, invois, penghantaran, đơn hàng, hóa đơn, vận đơn, đặt chỗ, tellimus, arve, saadetis, užsakym, sąskait, siunt, pasūtīj, rēķin, eskaera, agizo, nomor pelanggan, broj, številka, číslo objedn, číslo účt, numer zamów, numer',
    cyrillic:
      'выпуск, випуск, издание, видання, заказ, счёт, счет, посылк, отправлен, трек, накладн, брон, квитанц, договор, обращени, заявк, номер, замовлен, рахунок, посилк, поръчк, фактур, пратк, резервац, поруџбин, рачун, пошиљк, наруџбин, нарачк',
    greek: 'τεύχος, παραγγελί, τιμολόγι, αποστολή, δέμα, κράτηση, απόδειξη, αριθμός',
    semitic:
      'طلب رقم, رقم الطلب, الطلب رقم, طلبك رقم, فاتورة, الفاتورة, شحنة, الشحنة, تتبع, حجز, الحجز, رقم الحساب, رقم المرجع, إيصال, הזמנה מספר, מספר הזמנה, מספר ההזמנה, חשבונית, משלוח, חבילה, מעקב, קבלה, אסמכתא, מספר לקוח',
    iranian: 'سفارش, فاکتور, مرسوله, رهگیری, رزرو, شماره پیگیری, آرڈر',
    indic: 'ऑर्डर, चालान, शिपमेंट, ट्रैकिंग, बुकिंग, संदर्भ, खाता संख्या, অর্ডার, চালান, ட்ராக்',
    east: '订单, 訂單, 发票, 發票, 快递, 运单, 物流, 单号, 單號, 预订, 預訂, 编号, 編號, 注文, 請求書, 領収, 追跡, 配送, 予約, お問い合わせ番号, 問い合わせ番号, 受付番号, 会員番号, 伝票, 주문, 송장, 영수증, 배송, 예약, 운송장, 접수번호, 고객번호, 회원번호',
    lottery:
      'lottery, raffle, =draw, lotterie, verlosung, tombola, loterie, tirage, lotería, sorteo, loteria, sorteio, lotteria, estrazione, loterij, trekking, lotteri, losowani, slosování, piyango, çekiliş, undian, xổ số, лотере, розыгрыш, розіграш, λαχείο, κλήρωση, يانصيب, הגרלה, लॉटरी, 彩票, 抽奖, 抽獎, 宝くじ, 抽選, 복권, 추첨, ลอตเตอรี่',
    southeast: 'คำสั่งซื้อ, ใบแจ้งหนี้, พัสดุ, จัดส่ง, การจอง, หมายเลข, ใบเสร็จ, เลขที่, ເລກ, លេខបញ្ជាទិញ',
  },
  /** A journey or a stay: its letters and digits are booked, not typed. */
  travel: {
    en: 'flight, booking, reservation, itinerary, check-in, check in, boarding, =gate, =seat, hotel, e-ticket, airline, departure, =depart, arrival, passenger, =train, =pnr, luggage, baggage, =nights, guest',
    latin:
      'flug, buchung, reservierung, abflug, ankunft, fahrgast, sitzplatz, zimmer, anreise, abreise, =vol, vols, réservation, embarquement, =départ, arrivée, séjour, vuelo, =reserva, =reservas, embarque, salida, llegada, estancia, voo, partida, chegada, estadia, prenotazione, volo, imbarco, partenza, soggiorno, vlucht, boeking, reservering, vertrek, aankomst, verblijf, bokning, flyg, avgång, ankomst, flyvning, bestilling, avreise, afrejse, varaus, lento, lähtö, rezerwac, wylot, przylot, odlot, pobyt, pociąg, rezervac, odlet, přílet, odjezd, příjezd, odchod, príchod, rezervacij, polazak, dolazak, foglalás, járat, indulás, érkezés, szállás, rezervare, zbor, plecare, sosire, rezervasyon, uçuş, kalkış, varış, konaklama, pemesanan, penerbangan, keberangkatan, tempahan, chuyến bay, đặt chỗ, khởi hành, broneering, =lend, skrydis, rezervacija, lidojums, bókun, flugið, safari ya ndege',
    other:
      'рейс, бронир, брони, вылет, посадк, прибыт, отправление поезда, пассажир, заселен, бронюв, виліт, полет, резервац, кацване, πτήση, κράτηση, αναχώρηση, άφιξη, رحلة, حجز, الصعود, مغادرة, پرواز, رزرو, טיסה, הזמנת, המראה, उड़ान, बुकिंग, ফ্লাইট, বুকিং, விமான, 航班, 预订, 預訂, 登机, 登機, 入住, 车次, 列车, 予約, 搭乗, 便名, フライト, 航空券, 宿泊, チェックイン, 발着, 예약, 탑승, 항공, 체크인, เที่ยวบิน, การจอง, ขึ้นเครื่อง',
  },
  /** Advertising. */
  promo: {
    en: '*promo, coupon, discount, voucher, *% off, save up, =sale, =deal, =deals, offer, *gift card, gift code, giftcard, referral, refer a friend, at checkout, checkout, redeem, free shipping, cashback, loyalty, reward, black friday, cyber monday, limited time, shop now, earn, bonus, giveaway, friends code, =cart, basket, new arrivals, clearance',
    latin:
      'gutschein, rabatt, angebot, aktionscode, vorteilscode, gratis, réduction, remise, code promo, bon d’achat, offre, cadeau, descuento, cupón, oferta, regalo, desconto, cupom, cupão, promoç, scont, saldi, rebaj, soldes, rabais, uitverkoop, udsalg, wyprzedaż, výprodej, schlussverkauf, acquist, einkauf, buono, offerta, regalo, korting, kortings, aanbieding, cadeau, cadeaubon, rabat, erbjudande, tilbud, tilbod, presentkort, gavekort, alennus, tarjous, kuponki, lahjakortti, rabat, zniżk, kupon, promoc, okazj, sleva, slev, kupón, zľav, popust, kupon, poklon, kedvezmény, kupon, akció, reducere, cupon, ofertă, voucher, indirim, kupon, kampanya, fırsat, hediye, diskon, kupon, hemat, penawaran, baucar, giảm giá, ưu đãi, khuyến mãi, allahindlus, nuolaid, atlaid, deskontu, punguzo',
    other:
      'скидк, распродаж, розпродаж, промокод, купон, акци, бонус, подарочн, знижк, отстъпк, промоц, попуст, ваучер, έκπτωση, κουπόνι, προσφορά, خصم, كوبون, قسيمة, عرض, العرض, تخفيض, תخفيف, تخفیف, הנחה, קופון, מבצע, छूट, कूपन, ऑफर, ছাড়, কুপন, 优惠, 優惠, 折扣, 促销, 促銷, 礼券, 禮券, 红包, クーポン, 割引, セール, キャンペーン, 特典, 할인, 쿠폰, 프로모션, 적립, ส่วนลด, คูปอง, โปรโมชั่น',
  },
  /** Part of a longer number: of a card, an account, a telephone. */
  ending: {
    latin:
      'ending in, ending with, ends in, ends with, last four, last 4, last two, last 2, last three, endet auf, endend, endziffer, letzten vier, letzten 4, se terminant, terminant par, finissant, quatre derniers, termina en, terminada en, terminado en, últimos, terminação, terminado, =final, ultime, termina con, eindig, laatste, slutar på, slutter på, ender på, sista fyra, siste fire, päättyy, päättyvä, kończąc, ostatni, končí, končíc, poslední, posledn, završava, zadnj, végződ, utolsó, se termină, ultimele, ile biten, son dört, son 4, sonu, berakhir, diakhiri, đuôi, kết thúc, số cuối, loppu, beigu',
    other:
      'заканчива, оканчива, последни, закінчу, завършва, завршава, λήγει σε, τελευταία, ينتهي ب, المنتهي, المنتهية, آخر, منتهی, المسجل, מסתיים, המסתיים, ספרות אחרונות, समाप्त होने, अंतिम, 尾号, 尾號, 末尾, 末四, 下4桁, 下4ケタ, 下四桁, 끝자리, 뒷자리, ลงท้าย',
  },
  /** Something that is no longer valid. */
  stale: {
    latin:
      'previous, old code, earlier, expired, no longer valid, no longer work, already used, replaces, superseded, =alte, =alter, ungültig, précédent, ancien, anterior, antiguo, antigo, precedente, vecchio, vorige, oude, tidligere, gammal, gammel, aiempi, vanha, poprzedni, stary, předchozí, starý, starého, korábbi, =régi, vechi, önceki, eski, sebelumnya, lama, trước đó, cũ',
    other:
      'предыдущ, старый, попередн, предишн, претходн, προηγούμεν, παλιό, السابق, قدیمی, قبلی, הקודם, הישן, पिछला, पुराना, 之前, 旧, 舊, 以前, 古い, 이전, 기존, เดิม, ก่อนหน้า',
  },
  /** Next to a code: it is not this one. */
  negate: {
    latin:
      '=not, =isn’t, =nicht, =kein, =keine, =pas, =jamais, =no es, =não, =nao, =non, =niet, =geen, =inte, =ikke, =ei, =nie, =není, =nije, =nem, =değil, =bukan, =không, =never, =neither, rather than, instead of, instead',
    other:
      '=не, =ні, =δεν, =όχι, ليس, ليست, نیست, =לא, नहीं, 不是, 并非, 而非, ではなく, ではありません, 아닙니다, 아니라, 아닌, ไม่ใช่',
  },
  /** Things that are counted. */
  unit: {
    en: 'minute, =min, =mins, hour, =hrs, =hr, =h, second, =sec, =day, =days, week, month, =year, =years, point, =pts, credit, user, people, person, view, item, =km, =kg, mile, =mb, =gb, =tb, =kb, =px, percent, follower, subscriber, customer, employee, companies, compan, developer, message, visitor, word, page, step, step, photo, file, vote, download, =star, =stars, review, question, answer, calorie, time, member, guest, night, bed, ppm, watt, kwh, =kcal, participant, countries, team, project, contributor, commit, line, =gram, =ml, =cm, =mm',
    latin:
      'minut, stunde, tage, heure, jour, hora, días, dias, giorn, ore, uur, dagen, timm, timer, dag, tunti, tunnin, päivä, godzin, dni, dní, hodin, sati, dana, ur, óra, perc, nap, ore, zile, saat, dakika, gün, jam, hari, menit, giờ, phút, ngày, punkt, punt, punti, pont, puan, poin, điểm, mensen, personnes, personas, pessoas, persone, personen, utilisateurs, usuarios, utenti, nutzer, meter, metr, tund, stund, valand, minuč',
    other:
      'мин, час, дн, день, недел, годин, хвилин, λεπτά, ώρες, μέρες, دقيق, دقائق, ساعة, ساعات, يوم, دقیقه, ساعت, روز, דקות, שעות, ימים, मिनट, घंट, दिन, মিনিট, 分钟, 分鐘, 小时, 小時, 天内, 人, 名, 个, 個, 次, 分間, 時間, 日間, ポイント, 円, 点, 分以内, 분, 시간, 일간, 명, 개, 포인트, 점, 원, นาที, ชั่วโมง, วัน, คน, บาท, คะแนน',
  },
  month: {
    latin:
      '=jan, januar, =feb, februar, =mar, =march, =apr, april, =may, =jun, june, =jul, july, =aug, august, =sep, =sept, septem, =oct, octob, =nov, novem, =dec, decem, enero, febrero, marzo, abril, =mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre, janvier, février, =mars, avril, mai, juin, juillet, août, septembre, octobre, décembre, januari, gennaio, febbraio, aprile, maggio, giugno, luglio, settembre, ottobre, dicembre, janeiro, fevereiro, março, maio, junho, julho, setembro, outubro, dezembro, märz, =juni, juli, oktober, dezember, maart, mei, augusti, tammikuu, helmikuu, maaliskuu, huhtikuu, toukokuu, kesäkuu, heinäkuu, elokuu, syyskuu, lokakuu, marraskuu, joulukuu, stycz, lutego, luty, =marca, marzec, kwie, maja, czerw, lipca, lipiec, sierp, wrze, paźdz, listop, grud, ledna, února, března, dubna, května, června, července, srpna, září, října, prosince, siječ, velja, ožuj, travnj, svib, lip, srp, kolov, rujn, prosin, január, február, március, április, május, június, július, augusztus, szeptember, október, november, december, ianuarie, februarie, martie, aprilie, iunie, iulie, septembrie, octombrie, noiembrie, decembrie, ocak, şubat, =mart, nisan, mayıs, haziran, temmuz, ağustos, eylül, ekim, kasım, aralık, =mei, agustus, desember, tháng',
    other:
      'январ, феврал, марта, апрел, мая, июн, июл, август, сентябр, октябр, ноябр, декабр, січн, лют, берез, квіт, трав, черв, лип, серп, верес, жовт, листоп, груд, януари, јануар, јун, јул, ιανουαρ, φεβρουαρ, μαρτί, απριλ, μαΐ, ιουν, ιουλ, αυγούστ, σεπτεμβρ, οκτωβρ, νοεμβρ, δεκεμβρ, يناير, فبراير, مارس, أبريل, مايو, يونيو, يوليو, أغسطس, سبتمبر, أكتوبر, نوفمبر, ديسمبر, فروردین, اردیبهشت, خرداد, مرداد, شهریور, آبان, آذر, بهمن, اسفند, ינואר, פברואר, במרץ, מרץ, אפריל, מאי, יוני, יולי, אוגוסט, ספטמבר, אוקטובר, נובמבר, דצמבר, जनवरी, फ़रवरी, फरवरी, मार्च, अप्रैल, मई, जून, जुलाई, अगस्त, सितंबर, अक्टूबर, नवंबर, दिसंबर, มกราคม, กุมภาพันธ์, มีนาคม, เมษายน, พฤษภาคม, มิถุนายน, กรกฎาคม, สิงหาคม, กันยายน, ตุลาคม, พฤศจิกายน, ธันวาคม, 年, 月, 년, 월',
  },
  /** A code, but of another kind. */
  badcode: {
    en: 'meeting id, meeting-id, ミーティングid, 会议号, 會議號, 회의 id, id de reunión, id de la reunión, id de réunion, besprechungs-id, meeting passcode, webinar id, =wifi, wi-fi, join the meeting, webinar, game pin, game code, game id, quiz pin, quiz code, room code, lobby code, approval code, zip code, zipcode, postal code, postcode, area code, country code, source code, error code, status code, promo code, promotional code, coupon code, discount code, voucher code, gift code, gift card code, redemption code, referral code, friend code, tracking code, booking code, reservation code, tax code, sort code, swift code, qr code, qr-code, barcode, bar code, product code, dress code, item code, bank code, code of conduct, exit code, response code, license key, licence key, code review, offer code, invite code, order code, store code, =codes, vat code, airport code, style code, color code, code block, code snippet, code freeze, reference code, =ref code, rma code, =rma, return code',
    booking:
      'buchungscode, reserveringscode, boekingscode, bokningskod, bookingkode, bestillingskode, reservationskode, varauskoodi, varaustunnus, kod rezerwacji, kód rezervace, kód rezervácie, rezervačný kód, rezervační kód, kod rezervacije, rezervacijska koda, foglalási kód, cod de rezervare, codul de rezervare, rezervasyon kodu, código de reserva, código da reserva, codi de reserva, clave de reserva, codice prenotazione, codice di prenotazione, code de réservation, kode booking, kode pemesanan, kod tempahan, mã đặt chỗ, broneeringu kood, rezervācijas kod, rezervacijos kod, bókunarnúmer, erreserba-kode, msimbo wa nafasi, =pnr, localizador, record locator, κωδικός κράτησης, κωδικό κράτησης, код бронирования, код брони, код бронювання, код на резервация, код за резервация, رمز الحجز, کد رزرو, קוד הזמנה, बुकिंग कोड, বুকিং কোড, முன்பதிவு குறியீ, รหัสการจอง, 预订码, 預訂代碼, 訂位代號, 予約コード, 予約番号, 예약 코드, 예약코드, 예약번호, 예약 번호',
    postal:
      'codi postal, kodi postal, kodi postar, kodigo postal, pašto kod, pasta kod, pasta indeks, poštanski kod, poštový kód, poštna koda, posta kood, postikood, postaalkood, poskode, posta-kode, poçt kodu, pochta kodi, poçta kody, kod pos, poskod, côd post, cód poist, msimbo wa posta, zip kodu, zip kod, kode zip, código zip, пощенски код, поштенски код, поштански код, почтовый код, почтавы код, поштовий код, пошта коды, почта коды, шуудангийн код, рамзи почта, საფოსტო კოდ, საფოსტო ინდექს, փոստային կոդ, डाक कोड, पोस्टल कोड, पोस्ट कोड, পোস্ট কোড, পোস্টাল কোড, அஞ்சல் குறியீ, పోస్టల్ కోడ్, ಪೋಸ್ಟಲ್ ಕೋಡ್, പോസ്റ്റൽ കോഡ്, پوسٹل کوڈ, کد پُستی, លេខកូដប្រៃសណីយ៍, ລະຫັດໄປສະນີ, 邮递区号, 郵遞區號',
    customer:
      'customer code, client code, kundencode, klantcode, kundkod, kundekode, asiakaskoodi, kod klienta, kód zákazníka, šifra kupca, šifra stranke, kod kupca, ügyfélkód, cod client, codul de client, müşteri kodu, código de cliente, código do cliente, codi de client, codice utente, codice utenza, kode pelanggan, kod pelanggan, mã khách hàng, kliendikood, klienta kod, kliento kod, bezero-kode, κωδικός πελάτη, κωδικό πελάτη, код клиента, код клієнта, код на клиента, шифра купца, رمز العميل, کد مشتری, קוד לקוח, ग्राहक कोड, รหัสลูกค้า, 客户代码, 客戶代碼, お客様コード, お客様番号, 고객코드, 고객 코드, 고객번호, 고객 번호',
    latin:
      'postleitzahl, gutscheincode, rabattcode, aktionscode, fehlercode, strichcode, quellcode, code postal, code promo, code de réduction, code promotionnel, code avantage, code client, codice sconto, codice fiscale, codice postale, codice promo, codice cliente, código postal, código promocional, código de descuento, código de desconto, código de barras, código de rastreo, código de rastreamento, kortingscode, actiecode, rabattkod, kampanjkod, rabattkode, rabatkode, alennuskoodi, kampanjakoodi, postikoodi, kod rabatowy, kod pocztowy, kod promocyjny, slevový kód, zľavový kód, poštovní směrovací, kuponkód, kedvezménykód, promóciós kód, cod promoțional, cod de reducere, cod poștal, kod za popust, promo kod, indirim kodu, promosyon kodu, kupon kodu, posta kodu, kampanya kodu, kode promo, kode diskon, kode pos, kode kupon, kode voucher, mã giảm giá, mã khuyến mãi, mã đơn hàng, mã vận đơn, mã bưu, mã sinh viên, mã nhân viên, mã sản phẩm, mã bệnh nhân, kode barang, kode produk, kode cabang, kode bank',
    other:
      'промокод, код купона, почтовый индекс, код скидки, промо код, промо-код, код за отстъпка, κωδικός έκπτωσης, κωδικό έκπτωσης, ταχυδρομικός κώδικας, كود الخصم, كود خصم, رمز القسيمة, الرمز البريدي, رمز العرض, کد تخفیف, کد پستی, کد رهگیری, קוד הנחה, קוד קופון, מיקוד, कूपन कोड, प्रोमो कोड, पिन कोड, 优惠码, 優惠碼, 折扣码, 折扣碼, 邮政编码, 邮编, 兑换码, 邀请码, クーポンコード, 割引コード, プロモーションコード, プロモコード, 郵便番号, 할인코드, 할인 코드, 쿠폰번호, 쿠폰 번호, 쿠폰 코드, 우편번호, お問い合わせ番号, お問合せ番号, 問い合わせ番号, 주문번호, 송장번호, 운송장번호, 전화번호, 주문 번호, รหัสส่วนลด, โค้ดส่วนลด, รหัสไปรษณีย์, รหัสอ้างอิง, รหัสนักศึกษา, รหัสนักเรียน, รหัสพนักงาน, รหัสสมาชิก, รหัสสินค้า, รหัสผู้ป่วย, รหัสสาขา, รหัสวิชา, รหัสธนาคาร, รหัสพัสดุ, นักศึกษารหัส, สมาชิกรหัส, พนักงานรหัส',
  },
  /** The name of an account. */
  user: {
    latin:
      'user name, username, user-name, login name, screen name, nickname, display name, benutzername, anmeldename, nutzername, nom d’utilisateur, nom d’usager, identifiant, pseudo, nombre de usuario, =usuario, nome de usuário, nome de utilizador, nome utente, gebruikersnaam, användarnamn, brukernavn, brugernavn, käyttäjänimi, käyttäjätunnus, nazwa użytkownika, nazwą użytkownika, nazwę użytkownika, uživatelské jméno, používateľské meno, prihlasovacie meno, přihlašovací jméno, korisničko ime, uporabniško ime, felhasználónév, felhasználói név, nume de utilizator, numele de utilizator, kullanıcı ad, nama pengguna, tên người dùng, tên đăng nhập, kasutajanimi, kasutajatunnus, lietotājvārd, naudotojo vard, vartotojo vard, erabiltzaile, nom d’usuari, notandanafn, jina la mtumiaji, gebruikernaam, brukarnavn, brúkaranavn, istifadəçi adı, foydalanuvchi nomi, emri i përdoruesit, ainm úsáideora, enw defnyddiwr, nome de usuario, benotzernumm, uzantnomo',
    other:
      'имя пользователя, имени пользователя, логин, ім’я користувача, логін, потребителско име, корисничко име, імя карыстальніка, пайдаланушы аты, колдонуучу аты, колдонуучунун аты, номи корбар, хэрэглэгчийн нэр, όνομα χρήστη, اسم المستخدم, نام کاربری, صارف نام, שם משתמש, שם המשתמש, उपयोगकर्ता नाम, उपयोगकर्तानाम, यूज़रनेम, वापरकर्ता नाव, ব্যবহারকারীর নাম, பயனர் பெயர், பயனர்பெயர், వినియోగదారు పేరు, વપરાશકર્તા નામ, 用户名, 用戶名, 使用者名稱, 帳號名稱, ユーザー名, ユーザ名, ユーザーid, ログインid, アカウント名, 사용자 이름, 사용자명, 아이디, ชื่อผู้ใช้, ຊື່ຜູ້ໃຊ້, ឈ្មោះអ្នកប្រើ, မာသုံးသူအမည်, მომხმარებლის სახელი, օգտանուն, օգտվողի անուն, የተጠቃሚ ስም',
  },
  phone: {
    latin:
      '=tel, telephone, phone, =call, =fax, mobile, helpline, hotline, telefon, téléphone, teléfono, telefone, telefoon, puhelin, whatsapp, =sms, text us, ring, điện thoại, telpon, handy, =cell, toll-free, toll free',
    other: 'тел, τηλ, هاتف, تلفن, טלפון, फ़ोन, 电话, 電話, 전화, โทร',
  },
  street: {
    latin:
      '=street, =st, avenue, =ave, =road, =rd, boulevard, =blvd, =suite, =ste, =floor, =lane, =drive, =dr, =pike, =p.o, =po box, p.o. box, *straße, *strasse, =rue, =calle, =via, =piazza, *straat, *gatan, *gata, *vej, *katu, =ulica, =ul, ulice, utca, strada, sokak, cadde, mahalle, =jalan, =jl, =đường, =plaza, =parkway, =pkwy, =highway, =square, =court, =way, =building, postfach, apartado, =rua, =avenida, =county, =district',
    other: 'улица, ул, проспект, вулиця, οδός, شارع, خیابان, רחוב, 大街, 丁目, 번지, ถนน',
  },
  example: {
    latin:
      'for example, =e.g, example, looks like, such as, =z.b, beispiel, par exemple, por ejemplo, por exemplo, ad esempio, bijvoorbeeld, till exempel, for eksempel, esimerk, na przykład, například, például, de exemplu, örneğin, contoh, ví dụ',
    other: 'например, наприклад, παράδειγμα, مثال, לדוגמ, उदाहरण, 例如, 例えば, 예를, ตัวอย่าง',
  },
  /** Small print. */
  footer: {
    company: companyNumbers,
    latin:
      'all rights reserved, copyright, ©, unsubscribe, you are receiving, you received this email, you’re receiving, sent to you by, mail was sent by, message was sent by, our address, mailing address, registered office, alle rechte, tous droits, todos los derechos, todos os direitos, tutti i diritti, alle rechten, impressum, powered by, alla rättigheter, alle rettigheter, wszelkie prawa',
    other: 'все права, усі права, جميع الحقوق, 版权所有, 版權所有, all right reserved, 저작권, สงวนลิขสิทธิ์',
  },
  /** A line with one of these may be part of a bill. */
  sum: { any: '=usd, =eur, =gbp, =inr, =total, =amount' },
} as const;
