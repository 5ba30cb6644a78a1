import { readMails } from './judge-layouts.ts';

/** Mails in Slavic languages. */
export const judgeSlavic = readMails(`
=== pl both kod logowania
Bank Pieniński <bezpieczenstwo@bankpieninski.example>
Potwierdź zmianę limitu
Dzień dobry, Kasiu!
Zmieniasz dzienny limit płatności kartą kończącą się na 2185. Jeśli się zgadza, przepisz do aplikacji hasło jednorazowe:
> {989892}
Nikomu go nie podawaj. Za pięć minut straci ważność.
- Bank Pieniński S.A., NIP 630-998-06-89, KRS 5058473175, Nowy Targ
=== pl text nazwa użytkownika i kod
Przychodnia Lipowa <rejestracja@przychodnialipowa.example>
Dostęp do portalu pacjenta
Szanowny Panie,
Pana nazwa użytkownika: t.wrona131
Numer karty pacjenta: 2508872
Kod aktywacyjny: {TR6C-DR4L}
Rejestracja: 22 004 72 31
=== pl card kod i odwołanie
Sakwa <pomoc@sakwa.example>
Potwierdź nowe urządzenie
Kod potwierdzający:
> {26456154}
To nie Ty? [Unieważnij kod](https://sakwa.example/uniewaznij/hjzhbjnz58zwf)
=== pl simple dołącz
Klub Planszówek <klub@planszowki.example>
Zosia zaprasza Cię na wtorki
Cześć! Zosia dodała Cię do grupy planszówkowej w naszym klubie.
[!Dołącz](https://planszowki.example/d/f2ggsaB)
Gramy od 18:00 w sali 12.
=== pl dense faktura
Gazownia Śląska <ebok@gazowniaslaska.example>
Faktura nr 6994250/2026
Numer klienta: 924110337
Numer umowy: GZ/055387/18
Numer gazomierza: 20310557
Do zapłaty: 214,36 zł do 21 maja.
=== pl both paczka
Kurier Ryś <powiadomienia@kurierrys.example>
Paczka jedzie do Ciebie
Numer przesyłki: 4303229244849
Kurier będzie między 12:00 a 14:00, tel. 006 063 514.
[Śledź paczkę](https://kurierrys.example/p/7T4N34AZ)
=== cs simple ověřovací kód
Moravská záložna <info@moravskazalozna.example>
Ověření nové e-mailové adresy
Dobrý den,
tuto adresu jste zadal jako svou novou kontaktní adresu ke smlouvě č. 107276788. Že vám patří, potvrdíte opsáním kódu {903038} do internetového bankovnictví.
- Moravská záložna, IČO 99738419, zapsaná u KS v Brně, oddíl B, vložka 9362
=== cs text uživatelské jméno
Knihovna Sázava <knihovna@ksazava.example>
Zapomenuté uživatelské jméno
Dobrý den,
vaše uživatelské jméno je: novakova90
Číslo průkazky: 42898209
Kód pro změnu hesla: {60505}
=== cs simple obnovení hesla
Zahrádkář <obchod@zahradkar.example>
Obnovení hesla
Klikněte na odkaz a zvolte si nové heslo:
<!https://zahradkar.example/heslo/JcKeviy95R>
Pokud jste o změnu nežádali, e-mail ignorujte.
=== cs card vstupenky
Divadlo Pod Lípou <pokladna@podlipou.example>
Vaše vstupenky
| Rezervační kód | VY5AZH5
| Sobota 14. 11., 19:00 | Řada 5, sedadla 8 a 9
| Variabilní symbol | 3627693333
=== sk breaks jednorazový kód
Tatranská sporiteľňa <klient@tatranskasporitelna.example>
Platba kartou 18,40 €
Dobrý deň, Peter,
na potvrdenie platby u obchodníka Kníhkupectvo Most použite kód {719-513}. Nikomu ho neprezrádzajte.
- Call centrum 02/0283 2539
=== sk text aktivácia účtu
Šport Hôrka <eshop@sporthorka.example>
Aktivujte si účet
Ďakujeme za registráciu. Účet si aktivujete kliknutím na tento odkaz:
<!https://sporthorka.example/ucet/t8x4/q25wm>
=== sk simple odpočet vodomeru
Vodárne Hornád <odpocty@vodarnehornad.example>
Odpočet vodomeru
Vodomer č. 51772794, posledný stav 3192 m³. Nový stav nahláste do konca mesiaca. Zákaznícke číslo 8613976.
=== sl table koda za prijavo
Hranilnica Soča <varnost@hranilnicasoca.example>
Koda za prijavo
Pozdravljeni, Maja,
za prijavo vnesite naslednjo kodo:
> {627501}
Koda velja 10 minut.
- Hranilnica Soča d.d., matična št. 3952454
=== sl dense uporabniško ime
Planinsko društvo Krn <clani@pdkrn.example>
Vaše uporabniško ime
Vaše uporabniško ime je: gams6877
Članska številka: 967856
=== sl card sprejmi povabilo
Čebelarji <drustvo@cebelarji.example>
Povabilo v skupino
Luka vas vabi v skupino Čebelnjak.
[!Sprejmi](https://cebelarji.example/s/gEB7EC)
=== hr both kod za potvrdu
Banka Učka <sigurnost@bankaucka.example>
Vaš kod za potvrdu
Poštovana Ana,
kod za potvrdu prijave je {418640}. Vrijedi 5 minuta.
Ako niste vi tražili kod, [poništite ga](https://bankaucka.example/ponisti/45bc316718027e).
- OIB: 78004590742
=== hr simple nova lozinka
Otočki Trajekti <korisnici@otockitrajekti.example>
Postavite novu lozinku
Zatražili ste promjenu lozinke za korisnički račun. Odaberite novu pritiskom na gumb.
[!Nova lozinka](https://otockitrajekti.example/l/928pkacam)
Poveznica vrijedi 24 sata.
=== hr text karta
Brodovi Mljet <karte@brodovimljet.example>
Vaša karta za Sobru
Broj rezervacije: 99448395
Linija 832, polazak u 15:15, vozilo ST 4971-AB.
=== bs table verifikacijski kod
Vrelo Mobil <podrska@vrelomobil.example>
Verifikacijski kod
Poštovani,
Vaš verifikacijski kod je:
> {341327}
Unesite ga u aplikaciju u roku od 10 minuta.
- Korisnička služba 033 667 890
=== sr table једнократна лозинка
Банка Шумадија <obavestenja@bankasumadija.example>
Код за пријаву
Поштована Јелена,
Унесите код да бисте се пријавили:
> {684036}
Код важи 5 минута.
- Банка Шумадија а.д. Крагујевац, ПИБ 847033602, МБ 56209194
=== sr text korisničko ime
Planeta Knjiga <nalozi@planetaknjiga.example>
Podaci o nalogu
Vaše korisničko ime je: mika2794
Kod za promenu lozinke: {6KY-2PB}
=== sr simple pridruži se
Trkački klub Ušće <klub@tkusce.example>
Nikola vas poziva
Zdravo Milice, Nikola želi da trčiš sa nama.
[!Pridruži se](https://tkusce.example/p/6PXKCx5E)
Trčimo sredom u 19 časova.
=== mk text код за потврда
Пелистер Банка <sigurnost@pelisterbanka.example>
Код за потврда
Здраво Елена,
Вашиот код за потврда е {145980}. Внесете го во рок од 10 минути.
Никому не го кажувајте кодот.
- ЕДБ MK2903927228290
=== mk card активирајте сметка
Книжарница Вардар <smetki@knizarnicavardar.example>
Активирајте ја сметката
Здраво Борис, ви благодариме што се регистриравте кај нас.
Само уште еден чекор.
[!Активирај](https://knizarnicavardar.example/a/8kpyiu65)
=== bg card код само на снимката
Банка Родопи <sigurnost@bankarodopi.example>
Еднократна парола
Здравейте, Мария,
Въведете еднократната парола от изображението:
img: Еднократна парола {374931}
Валидна е 10 минути.
- Банка Родопи АД, ЕИК 463342131, Смолян
=== bg text потребителско име
Читалище Светлина <chitalishte@svetlina.example>
Вашето потребителско име
Вашето потребителско име е: petya798
Код за нова парола: {6yyzargd}
Читателска карта № 758348
=== bg simple приемете поканата
Планинари <pokani@planinari.example>
Покана от Георги
Георги ви кани в групата „Седемте езера“.
[!Приемам](https://planinari.example/k/H7VTzK)
=== bg dense фактура
Топлофикация Тунджа <fakturi@toplotundzha.example>
Фактура за март
Абонатен номер: 27559593
Фактура № 2349546487
Сума: 73,20 лв. Срок: 30.04.2026 г.
=== ru pair код подтверждения
Банк «Ладога» <no-reply@bankladoga.example>
Вход с нового устройства
Здравствуйте, Ольга!
Кто-то входит в ваш личный кабинет через Яндекс Браузер, г. Вологда. Если это вы, введите цифры:
> {653-679}
Никому их не сообщайте, даже сотрудникам банка.
- АО «Банк Ладога», лицензия № 4288, ИНН 1676293498
- 8 800 892-67-20
=== ru text логин и код
Услуги Заречья <support@zarechye-uslugi.example>
Восстановление доступа
Ваш логин: sokolov.d44
Номер обращения: 772929032
Код восстановления: {44966266}
Код действует 1 час.
=== ru card отмена кода
Рубанок <hello@rubanok.example>
{4193} — код для входа
Введите {4193} на странице входа.
Это были не вы? [Отменить код](https://rubanok.example/otmena/pKyrtanL2T2r)
=== ru both резервный код
Сундук <help@sunduk-app.example>
Резервный код
Сохраните резервный код. Он понадобится, если вы потеряете телефон.
> {J2Y4-29T4-M4GN-9BFT}
=== ru simple присоединиться
Доска объявлений «Двор» <dvor@dvor.example>
Вас пригласили в чат дома
Соседка Тамара Ильинична добавила вас в чат дома. Нажмите кнопку, чтобы войти в него.
[!Присоединиться](https://dvor.example/c/uusq5/k9s8)
Дом 14, корпус 2
=== ru dense чек
Булочная Колос <chek@kolos-bulochnaya.example>
Кассовый чек
ФН 1914212780345915
ФД 33707
ФП 5448481748
Итого: 286,00 ₽. Карта *5688
=== ru simple посылка
Почтовик <track@pochtovik.example>
Посылка прибыла
Трек-номер RA074131096RU. Заберите её до 12 декабря в отделении 665517. Возьмите с собой паспорт.
=== uk simple код входу
Банк Говерла <bezpeka@bankhoverla.example>
Підтвердьте переказ
Вітаємо, Оксано!
Переказ 1 200,00 грн на картку, що закінчується на 4089, очікує підтвердження. Одноразовий пароль: {331346}. Він дійсний 5 хвилин.
- АТ «Банк Говерла», код ЄДРПОУ 13156912, Івано-Франківськ
=== uk text ім'я користувача
Бібліотека на Подолі <reader@podil-library.example>
Ваше ім'я користувача
Ваше ім'я користувача: taras1368
Щоб змінити пароль, введіть код {GTG-028}.
=== uk card приєднатися
Тепло поруч <team@teploporuch.example>
Запрошення волонтера
Ірина запрошує вас до команди.
[!Приєднатися](https://teploporuch.example/v/MarD7Jq)
[Про нас](https://teploporuch.example/about)
=== uk dense показники лічильника
Обленерго Десна <pokaznyky@desna-energo.example>
Передайте показники
Особовий рахунок: 9920486967
Лічильник № 00896510
Попередні показники: 92978
Передати показники: до 3 числа за тел. 0 800 732 465
=== uk simple зміна пароля
Пошта Мрія <security@poshtamriia.example>
Пароль змінено
Пароль до вашої скриньки змінено 11 січня 2026 о 08:47. Пристрій: Galaxy S24. Якщо це ви, нічого робити не потрібно.
=== be table код пацвярджэння
Банк Нёман <bank@banknioman.example>
Код пацвярджэння
Добры дзень, Алесь!
Каб увайсці ў кабінет, увядзіце код:
> {471945}
Код дзейнічае 10 хвілін. Нікому яго не паведамляйце.
=== be simple новы пароль
Кнігарня Сцяжына <dapamoga@sciazhyna.example>
Новы пароль
Прывітанне, Ганна! Мы атрымалі запыт на змену пароля.
Націсніце, каб задаць новы пароль.
[!Задаць пароль](https://sciazhyna.example/parol/ysrqm5ga5)
`);
