import { readMails } from './judge-layouts.ts';

/** Mails in Turkic languages, Tajik, Mongolian, Armenian and Georgian. */
export const judgeTurkic = readMails(`
=== tr both doğrulama kodu
Erciyes Bank <guvenlik@erciyesbank.example>
Yeni cihazınızı tanıyalım
Merhaba Zeynep,
Hesabınıza ilk kez iPad Air ile giriyorsunuz. Devam etmek için ekrandaki kutuya {579221} yazmanız yeterli.
Bu siz değilseniz 0850 956 09 36 numarasını arayın.
- Erciyes Bank A.Ş. · Mersis No: 1515627187765737
=== tr text kullanıcı adı ve kod
Kitap Kurdu <destek@kitapkurdu.example>
Hesap bilgileriniz
Sayın Demir,
Kullanıcı adınız: ademir759
Müşteri numaranız: 76540384
Yeni şifre belirlemek için onay kodunuz: {W67X-ASZ4}
=== tr card kodu iptal et
Kervan Kargo <bildirim@kervankargo.example>
Onay kodu: {44914}
Adres değişikliğini onaylamak için {44914} kodunu kullanın.
Bu işlemi siz yapmadınız mı? [Kodu iptal edin](https://kervankargo.example/iptal/w6iigUJCLQ)
=== tr simple katıl
Mahalle Defteri <davet@mahalledefteri.example>
Elif sizi gruba davet etti
Merhaba komşu! Sokağımızın grubuna katılmak için düğmeye basın.
[!Katıl](https://mahalledefteri.example/d/4um6a6n)
Çınar Sokak sakinleri burada buluşuyor.
=== tr dense fatura
Toros Elektrik <efatura@toroselektrik.example>
Nisan ayı faturanız
Tesisat no: 1109409955
Fatura no: TE2026594192862
Son ödeme: 15.05.2026
Tutar: 842,65 TL
=== tr both uçuş
Martı Hava Yolları <bilet@martihava.example>
PNR kodunuz: KNB6JF
MH 2380 sefer sayılı uçuşunuz 09:20'de Trabzon'dan kalkacaktır.
> KNB6JF
Bilet no: 905 7211811489
=== az card təsdiq kodu
Kəpəz Bank <tehlukesizlik@kepezbank.example>
{917221} – təsdiq kodu
Salam, Aygün!
Hesabınıza daxil olmaq üçün {917221} kodunu yazın. Kod 5 dəqiqə ərzində etibarlıdır. Onu heç kimə deməyin.
- Kəpəz Bank ASC, VÖEN 8743084090
=== az text istifadəçi adı
Şəhər Kitabxanası <oxucu@seherkitabxana.example>
İstifadəçi adınız
İstifadəçi adınız: nigar2653
Şifrəni dəyişmək üçün kod: {APA-WTX}
=== az simple hesabı aktivləşdir
Pambıq Bazarı <salam@pambiqbazari.example>
Hesabınızı aktivləşdirin
Salam, Rəşad! Qeydiyyatı tamamlamaq üçün düyməni basın.
[!Aktivləşdir](https://pambiqbazari.example/h/E3QADQEe)
Suallarınız varsa, bizə yazın.
=== kk both растау коды
Алатау Банк <qauipsizdik@alataubank.example>
Растау коды
Сәлеметсіз бе, Айгерім!
Жүйеге кіру үшін мына кодты енгізіңіз: {796621}
Код 5 минут бойы жарамды. Оны ешкімге айтпаңыз.
- «Алатау Банк» АҚ, БСН 852198417868, Алматы қ.
=== kk text пайдаланушы аты
Дала Кітапханасы <oqyrman@dala-kitap.example>
Пайдаланушы атыңыз
Сіздің пайдаланушы атыңыз: erlan432
Құпиясөзді өзгерту коды: {7858-1159}
=== kk simple шақыру
Көкпар Клубы <klub@kokpar.example>
Сізді топқа шақырды
Нұрлан сізді топқа шақырды.
[!Қабылдау](https://kokpar.example/s/HHeM6Ak)
=== ky table кирүү коду
Ала-Арча Банк <kod@alaarcha-bank.example>
Кирүү коду
Саламатсызбы, Бермет!
Жеке кабинетке кирүү үчүн кодду киргизиңиз:
> {988909}
Код 10 мүнөт жарактуу. Аны эч кимге айтпаңыз.
- «Ала-Арча Банк» ААК, ИСН 65751861049041, Бишкек ш.
=== ky text колдонуучу аты жана код
Ысык-Көл Китепканасы <okurman@ik-kitep.example>
Сырсөздү калыбына келтирүү
Сиздин колдонуучу атыңыз: azamat210
Ырастоо коду: {55668}
Эгер сиз сурабасаңыз, бул катты этибарга албаңыз.
=== ky card кодду жокко чыгаруу
Тулпар Такси <koopsuzduk@tulpartaxi.example>
{7815} — тастыктоо коду
Номериңизди ырастоо үчүн {7815} кодун жазыңыз.
Бул сиз эмессизби? [Кодду жокко чыгаруу](https://tulpartaxi.example/jok/fw57696u8w)
=== ky simple заказ
Ош Базары <zakaz@oshbazary.example>
Заказыңыз жолго чыкты
Заказдын номери: 2709576. Курьер саат 14:00дөн 16:00гө чейин келет. Телефону: +996 612 391 268.
=== uz table tasdiqlash kodi
Chinor Bank <xavfsizlik@chinorbank.example>
Tasdiqlash kodi
Assalomu alaykum, Dilnoza!
Tizimga kirish uchun quyidagi kodni kiriting:
> {258631}
Kod 5 daqiqa amal qiladi. Uni hech kimga aytmang.
- «Chinor Bank» ATB, STIR 393112722, Toshkent sh.
=== uz text foydalanuvchi nomi
Registon Kutubxonasi <yordam@registonkutubxona.example>
Hisobingizni tiklash
Sizning foydalanuvchi nomingiz: sardor3936
Parolni tiklash kodi: {CRJQ8A}
=== uz simple taklif
Navro'z Jamoasi <jamoa@navroz-jamoa.example>
Sizni jamoaga taklif qilishdi
Assalomu alaykum, Jasur! Malika sizni jamoasiga taklif qildi.
[!Qabul qilish](https://navroz-jamoa.example/t/xHTX3Z)
Bahor bayramini birga tayyorlaymiz.
=== uz dense Кирилл ёзувида код
Сирдарё Газ <abonent@sirdaryogaz.example>
Кабинетга кириш коди
Ҳурматли абонент!
Шахсий рақамингиз: 5896747084
Кабинетга кириш учун код: {733806}
Код 15 дақиқа амал қилади.
=== tg table рамзи тасдиқ
Бонки Помир <amniyat@bonkipomir.example>
Рамзи тасдиқ
Салом, Фирӯза!
Барои ворид шудан ин рамзро нависед:
> {651889}
Рамз 5 дақиқа эътибор дорад. Онро ба касе нагӯед.
=== tg text номи корбар
Китобхонаи Рӯдакӣ <xonanda@rudaki-kitob.example>
Номи корбарии шумо
Номи корбарии шумо: rustam827
Рамзи барқарорсозӣ: {73270927}
=== tk simple tassyklama kody
Garagum Bank <kod@garagumbank.example>
Tassyklama kody
Salam, Maral!
Ulgama girmek üçin tassyklama koduňyz: {827433}
Ony hiç kime aýtmaň.
=== tt text раслау коды
Идел Китабы <yardam@idelkitap.example>
Раслау коды
Исәнмесез!
Сезнең раслау кодыгыз: {40348}
Код 10 минут гамәлдә.
=== mn table баталгаажуулах код
Богд Банк <info@bogdbank.example>
Баталгаажуулах код
Сайн байна уу, Сарнай!
Нэвтрэхийн тулд дараах кодыг оруулна уу:
> {590303}
Код 5 минутын хугацаанд хүчинтэй. Бусдад бүү дамжуулаарай.
- Богд Банк ХХК, РД 8837773, Улаанбаатар, утас 7796-0447
=== mn simple захиалга
Хархорум Ном <zahialga@kharkhorumnom.example>
Таны захиалга хүргэлтэд гарлаа
Захиалгын дугаар: 88760890. Хүргэлтийн ажилтан 17 цагаас өмнө очно.
=== hy pair մուտքի կոդ
Արագած Բանկ <anvtang@aragatsbank.example>
Ձեր մուտքի կոդը
Բարև, Անահիտ։
Մուտք գործելու համար մուտքագրեք այս կոդը՝
> {259086}
Կոդը գործում է 10 րոպե։ Այն ոչ մեկին մի՛ հայտնեք։
- «Արագած Բանկ» ՓԲԸ, ՀՎՀՀ 70491385, Երևան
=== hy text հաստատման կոդ
Սևան Գրադարան <grqer@sevangradaran.example>
Հաստատման կոդ
Ձեր օգտանունն է՝ aram174
Հաստատման կոդը՝ {BNL-NLB}
=== hy simple ակտիվացնել հաշիվը
Նռնենի <barev@nrneni.example>
Ակտիվացրեք Ձեր հաշիվը
Սեղմեք կոճակը՝ գրանցումն ավարտելու համար։
[!Ակտիվացնել](https://nrneni.example/a/Lk7BqGzn)
=== hy dense վճարման անդորրագիր
Լույս Էներգո <vcharum@luysenergo.example>
Վճարման անդորրագիր
Բաժանորդի համարը՝ 7876141
Անդորրագրի համարը՝ 4784946983
Գումարը՝ 12 400 դրամ
=== ka both შესვლის კოდი
მტკვარი ბანკი <usafrtkhoeba@mtkvaribank.example>
შესვლის კოდი
გამარჯობა, ნინო!
ანგარიშზე შესასვლელად შეიყვანეთ კოდი:
> {554182}
კოდი მოქმედებს 5 წუთის განმავლობაში. არავის გაუზიაროთ.
- სს „მტკვარი ბანკი“, ს/კ 931816994, თბილისი
=== ka text დადასტურების კოდი
წიგნის სახლი <anbani@tsignissakhli.example>
დადასტურების კოდი
თქვენი დადასტურების კოდია {8990}. თუ კოდი თქვენ არ მოგითხოვიათ, უგულებელყავით ეს წერილი.
შეკვეთის ნომერი: 49400049
=== ka simple პაროლის აღდგენა
ვაზი <daxmareba@vazi-market.example>
პაროლის აღდგენა
ახალი პაროლის დასაყენებლად დააჭირეთ ღილაკს.
[!პაროლის შეცვლა](https://vazi-market.example/p/ha2h372pp)
=== ka card ქვითარი
ლომისი კაფე <chek@lomisi-cafe.example>
თქვენი ქვითარი
| ხაჭაპური | 18,50 ₾
| ქვითრის № | 298717
| ბარათი | ****6924
`);
