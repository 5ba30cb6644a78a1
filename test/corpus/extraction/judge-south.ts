import { readMails } from './judge-layouts.ts';

/** Mails in the languages of South-East Asia and Africa, and Haitian Creole. */
export const judgeSouth = readMails(`
=== th both รหัสยืนยัน
ธนาคารแม่ปิง <security@maepingbank.example>
ยืนยันการโอนเงิน 1,500.00 บาท
เรียน คุณสุภาพร
รหัส OTP ของคุณคือ {096103} (Ref: BSVX) สำหรับโอนเงินไปยังบัญชีลงท้าย 7234 ภายใน 5 นาที
ห้ามบอกรหัสนี้แก่ผู้อื่น
- ธนาคารแม่ปิง จำกัด (มหาชน) ทะเบียนเลขที่ 8649489767422 โทร. 0 2926 8518
=== th text ชื่อผู้ใช้
ห้องสมุดริมน้ำ <samachik@rimnam-lib.example>
แจ้งชื่อผู้ใช้
ชื่อผู้ใช้ของคุณคือ somchai195
หมายเลขสมาชิก 28987229
รหัสสำหรับตั้งรหัสผ่านใหม่: {M5QU-C7ZC}
=== th simple เข้าร่วมทีม
ตลาดนัดสวน <team@talatsuan.example>
คุณนิดเชิญคุณเข้าร่วมทีม
สวัสดีค่ะ กดปุ่มเพื่อเข้าร่วมทีมขายของในตลาดนัดของเรา
[!เข้าร่วม](https://talatsuan.example/t/tkC6sWr)
พบกันวันเสาร์นี้
=== th dense ใบแจ้งค่าไฟ
ไฟฟ้าภูพาน <bill@phuphan-electric.example>
ใบแจ้งค่าไฟฟ้าเดือนเมษายน
หมายเลขผู้ใช้ไฟฟ้า 841772371644
เลขที่ใบแจ้ง 23280710881
ยอดที่ต้องชำระ 742.18 บาท
=== vi pair mã xác thực
Ngân hàng Sông Hương <baomat@songhuongbank.example>
Xác nhận giao dịch 3.500.000 đồng
Xin chào Thu Trang,
Quý khách đang chuyển tiền đến tài khoản có bốn số cuối 6557. Để xác nhận, vui lòng nhập mật khẩu dùng một lần:
> {462707}
Ngân hàng không bao giờ hỏi mật khẩu này qua điện thoại.
- Ngân hàng TMCP Sông Hương, MSDN 1421691371, Huế
=== vi text tên đăng nhập
Thư viện Tre Xanh <bandoc@trexanh.example>
Khôi phục tài khoản
Tên đăng nhập của bạn là: quanghuy326
Mã thẻ bạn đọc: 9444836
Mã khôi phục: {2d4u8CWJ}
=== vi card hủy mã
Xe Ôm Nhanh <hotro@xeomnhanh.example>
{2275} là mã xác nhận của bạn
Nhập {2275} để xác nhận số điện thoại mới.
Không phải bạn? [Hủy mã này](https://xeomnhanh.example/huy/6z5hrxgb3vq)
=== vi simple tham gia
Góc Học Tập <nhom@gochoctap.example>
Minh mời bạn vào nhóm
Chào Lan, bấm nút bên dưới để vào nhóm.
[!Tham gia](https://gochoctap.example/n/LPdc5R)
Nhóm ôn thi tối thứ Ba.
=== vi dense đơn hàng
Gốm Bát Cổ <donhang@gombatco.example>
Đơn hàng đã được gửi đi
Mã đơn hàng: GB47901431
Mã vận đơn: VN511304258
Dự kiến giao: 12/10
=== id breaks kode OTP
Bank Rinjani <keamanan@bankrinjani.example>
{176604} adalah kode OTP Anda
Halo Ayu, jangan berikan {176604} kepada siapa pun, termasuk petugas bank. Kode ini untuk mendaftarkan ponsel baru Anda dan berlaku 5 menit.
Kartu debit Anda: **** 9171
- PT Bank Rinjani Tbk, NPWP 96.850.469.3-865.000
=== id text nama pengguna
Perpustakaan Kota Angin <anggota@kotaangin.example>
Pengingat nama pengguna
Nama pengguna Anda: budi.s955
Nomor anggota: 417905877
Kode untuk mengatur ulang kata sandi: {49576761}
=== id simple terima undangan
Kebun Bersama <undangan@kebunbersama.example>
Sari mengundang Anda
Halo Rizky, Sari ingin mengajak Anda berkebun bersama.
[!Terima](https://kebunbersama.example/u/uwAcm7F9)
Yuk, tanam cabai bareng!
=== id dense tagihan
Air Bersih Citarum <tagihan@airbersihcitarum.example>
Tagihan air bulan Juni
No. pelanggan: 7264292373
No. meter: 87908952
Total: Rp 128.500
=== id both kereta
Kereta Merapi <tiket@keretamerapi.example>
Kode booking: KU9NGMS
Tunjukkan kode ini saat boarding di stasiun.
> KU9NGMS
KA 4133, kursi 8C, berangkat 06.10
=== ms table kod pengesahan
Bank Kinabalu Raya <selamat@kinabaluraya.example>
Kod pengesahan anda
Hai Aisyah,
Sila masukkan kod ini untuk log masuk:
> {829769}
Kod ini sah selama 3 minit. Jangan kongsi dengan sesiapa.
- Bank Kinabalu Raya Berhad (No. Syarikat 484806-K)
=== ms text nama pengguna
Kelab Layang <ahli@kelablayang.example>
Nama pengguna anda
Nama pengguna anda ialah: faiz5212
Jika anda terlupa kata laluan, masukkan kod {TXT-QJD} di halaman set semula.
=== ms card aktifkan akaun
Pasar Tani <akaun@pasartani.example>
Aktifkan akaun anda
Hai Hafiz, tinggal satu langkah lagi untuk mula menjual.
[!Aktifkan](https://pasartani.example/a/72uk39e3)
Terima kasih kerana mendaftar.
=== tl table code ng beripikasyon
Bangko ng Mayon <seguridad@bangkongmayon.example>
Ang iyong verification code
Kumusta, Liza!
Ilagay ang code na ito para makapag-log in:
> {194929}
May bisa ito sa loob ng 5 minuto. Huwag itong ibahagi kaninuman.
=== tl text username
Aklatan ng Bayan <kasapi@aklatanngbayan.example>
Ang iyong username
Ang username mo ay: jun7703
Para palitan ang password, ilagay ang code na {59954}.
=== tl simple resibo
Kapihan sa Kanto <resibo@kapihansakanto.example>
Resibo para sa iyong order
Order no. 5459896. Kabuuan: ₱215.00. OR no. 777037158. Salamat sa pagbili!
=== km text លេខកូដ
ធនាគារទន្លេ <code@tonlebank.example>
លេខកូដផ្ទៀងផ្ទាត់
សួស្តី សុភា
លេខកូដផ្ទៀងផ្ទាត់របស់អ្នកគឺ {847121}
លេខកូដនេះមានសុពលភាព 5 នាទី។ សូមកុំចែករំលែកជាមួយអ្នកដទៃ។
=== lo text ລະຫັດຢືນຢັນ
ທະນາຄານຈຳປາ <kod@champabank.example>
ລະຫັດຢືນຢັນ
ສະບາຍດີ
ລະຫັດຢືນຢັນຂອງທ່ານແມ່ນ {148713}
ລະຫັດນີ້ໃຊ້ໄດ້ 10 ນາທີ. ກະລຸນາຢ່າບອກໃຫ້ຜູ້ອື່ນ.
=== my simple အတည်ပြုကုဒ်
ဧရာဘဏ် <otp@ayarbank.example>
သင့်အတည်ပြုကုဒ်
မင်္ဂလာပါ။
သင့်အတည်ပြုကုဒ်မှာ {513107} ဖြစ်ပါသည်။ ဤကုဒ်ကို မည်သူ့ကိုမျှ မပြောပါနှင့်။
=== sw table nambari ya uthibitisho
Benki ya Kilele <usalama@benkiyakilele.example>
Nambari yako ya uthibitisho
Habari Amina,
Weka nambari hii ili kuingia kwenye akaunti yako:
> {194376}
Itaisha muda baada ya dakika 5. Usimpe mtu yeyote.
- Benki ya Kilele, S.L.P. 38329, Arusha
=== sw text jina la mtumiaji
Maktaba ya Pwani <wanachama@maktabapwani.example>
Jina lako la mtumiaji
Jina lako la mtumiaji ni: juma894
Msimbo wa kubadilisha nenosiri: {7WM2DX}
=== sw simple jiunge
Kikundi cha Wakulima <kikundi@wakulima.example>
Neema amekualika kwenye kikundi
Habari Baraka, bonyeza kitufe ili ujiunge nasi.
[!Jiunge](https://wakulima.example/j/peE6Tk2)
Karibu sana!
=== sw dense ankara ya maji
Maji Safi Ziwani <ankara@majisafi-ziwani.example>
Ankara yako ya Machi
Namba ya mteja: 19016927
Namba ya mita: 6608282
Kiasi: TSh 18,400
=== am text የማረጋገጫ ኮድ
ጣና ባንክ <kod@tanabank.example>
የማረጋገጫ ኮድዎ
ሰላም ሄለን፣
የማረጋገጫ ኮድዎ {615581} ነው። ኮዱ ለ10 ደቂቃ ያገለግላል። ለማንም አያጋሩ።
=== so simple koodhka xaqiijinta
Bangiga Jubba <amni@bangigajubba.example>
Koodhkaaga xaqiijinta
Salaan, Hodan.
Koodhkaaga xaqiijinta waa {768050}. Ha la wadaagin cid kale.
=== ht text kòd verifikasyon
Kès Popilè Latibonit <sekirite@keslatibonit.example>
Kòd verifikasyon ou
Bonjou Widlin,
Kòd verifikasyon ou se {451155}. Li bon pou 10 minit. Pa bay pèsonn li.
`);
