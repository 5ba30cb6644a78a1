import { readMails } from './judge-layouts.ts';

/** Mails in Chinese, Japanese and Korean. */
export const judgeEastAsia = readMails(`
=== zh-cn both 登录验证码
云溪银行 <service@yunxibank.example>
{756747}（云溪银行动态密码）
尊敬的客户：
您尾号4818的账户正在向“陈先生”转账2,000.00元，动态密码为{756747}，5分钟内有效。工作人员不会向您索要，请勿泄露。
- 云溪银行股份有限公司 客服热线 99532 京ICP备44036353号
=== zh-cn text 两句相连
拾光书店 <notice@shiguang-books.example>
提现确认
您的订单号为394694318286。本次提现的验证码是{560695}，10分钟内有效。
如非本人操作，请联系客服。
=== zh-cn simple 全角标点
竹里馆 <no-reply@zhuliguan.example>
【竹里馆】身份验证
您好！您的账号：lin_xiaoyu18。您的动态密码：{9606}（３０分钟内有效）。请勿转发！
=== zh-cn card 激活
青禾课堂 <hello@qinghe-ketang.example>
还差一步，请激活账号
感谢注册青禾课堂，请点击下面的按钮。
[!激活账号](https://qinghe-ketang.example/a/8TCgAic)
[帮助中心](https://qinghe-ketang.example/help)
=== zh-cn dense 重置密码
山海笔记 <help@shanhai-note.example>
重置您的密码
请访问以下链接设置新密码：
<!https://shanhai-note.example/pw/92fzt/4zwy5z>
链接一小时后失效。
=== zh-cn both 快递
蜂巢速运 <track@fengchao-suyun.example>
您的包裹正在派送
运单号：FC7508579756754
派件员：王师傅，电话 125-9168-3878
[查看物流](https://fengchao-suyun.example/t/2FZ3BJR5)
=== zh-cn text 电子发票
清泉自来水 <fapiao@qingquan-water.example>
电子发票已开具
发票代码：767664577272
发票号码：58081318
校验码：84114 55923 26238 76564
价税合计：86.40元
=== zh-cn simple 火车票
江南铁旅 <piao@jiangnan-tielv.example>
订单已支付
订单号码E030843083，张女士购9月3日G8897次06车12A号，杭州东站10:32开。检票口B7。
=== zh-cn card 优惠码
甜橙超市 <youhui@tiancheng-mart.example>
送您一张满100减20优惠券
优惠码：
> TC4JBA5Y
结算时输入即可使用，有效期至6月30日。
=== zh-cn split 恢复码
密匣 <team@mixia.example>
请保存您的恢复码
如果手机丢失，可用以下恢复码登录，仅能使用一次。
> {MC6N-A866-8F22-3Y79}
=== zh-tw pair 一次性驗證碼
玉嶺銀行 <service@yulingbank.example>
信用卡網路交易驗證
親愛的客戶您好：
您末四碼8521的信用卡於「海馬迴書店」消費1,150元，OTP密碼{904203}，請於5分鐘內輸入，切勿提供給他人。
- 玉嶺商業銀行股份有限公司 統一編號 61020096 客服 (02)5679-6127
=== zh-tw text 訂單與驗證碼
茶籽堂市集 <order@chazi-market.example>
變更收件地址
您申請變更訂單9697977191的收件地址。請輸入驗證碼{23185}確認變更。若非您本人操作，請忽略此信。
=== zh-tw simple 使用者名稱
觀星社 <club@guanxing.example>
您的使用者名稱
您的使用者名稱為：meteor9583
若忘記密碼，請輸入重設代碼 {EHX-UXG}。
=== zh-tw card 加入
稻田共學 <hi@daotian.example>
佩珊邀請你加入讀書會
宜君您好，讀書會每月第二個週日晚上聚會。
[!加入](https://daotian.example/g/TGfp5G)
本月讀《海風酒店》。
=== zh-tw dense 電費
東海電力 <bill@donghai-power.example>
七月份電費帳單
電號：51-45-5901-50-3
繳費期限：115年8月20日
應繳總金額：1,286元
=== zh-tw both 掛號
仁愛牙醫 <clinic@renai-dental.example>
看診提醒
您已預約10月6日下午，診間2，看診號碼18號。病歷號碼：7741843。
如需取消請來電 (04)9308-4885。
=== ja dense 認証コード
瀬戸内信用金庫 <info@setouchi-shinkin.example>
【瀬戸内しんきん】ワンタイムパスワードのお知らせ
いつもご利用いただきありがとうございます。
お振込のお手続きに必要なワンタイムパスワードをお送りします。
―――――――――――
{706195}
―――――――――――
※10分を過ぎると無効になります。当金庫の職員がお尋ねすることはありません。
- 瀬戸内信用金庫 金融機関コード 5182 お客さまセンター 0120-520-500
=== ja text 受付番号のあとに
つばめ保険 <support@tsubame-hoken.example>
ご本人確認のお願い
お客様番号：0509776493
お申し込み番号は25082946です。確認コード「{801226}」を入力して手続きを進めてください。
心当たりがない場合は、このメールを破棄してください。
=== ja simple ユーザー名とコード
こもれび図書館 <toiawase@komorebi-lib.example>
ログイン情報の再設定
ユーザー名：haruka259
利用者カード番号：818138017
再設定コード：{R3jGGEbZ}（大文字と小文字を区別します）
=== ja card コードの無効化
ひつじクラウド <noreply@hitsuji-cloud.example>
ログインコード {526452}
新しい端末からのログインを確認するため、{526452} を入力してください。
お心当たりがない場合は[このコードを無効にする](https://hitsuji-cloud.example/revoke/cZs9Yx8ZGY)をクリックしてください。
=== ja dense 全角数字
みなと市役所 <denshi@minato-shinsei.example>
電子申請の確認番号
電子申請システムをご利用いただきありがとうございます。
確認番号：{６２０９４７}
上記の番号を申請画面に入力してください。
=== ja both 登録を完了
やまびこ書房 <touroku@yamabiko-shobo.example>
会員登録を完了してください
下のボタンから登録を完了してください。
[!登録を完了する](https://yamabiko-shobo.example/r/65kLwxXU)
- やまびこ書房 〒889-9982 長野県松本市
=== ja simple 招待
ことりチーム <invite@kotori-team.example>
田中さんから招待が届いています
山口様 いつもお世話になっております。
[!参加する](https://kotori-team.example/i/xqefe3)
プロジェクト「夏祭り」への招待です。
=== ja text ご注文
和菓子処すずめ <order@suzume-wagashi.example>
【すずめ】ご注文ありがとうございます
ご注文番号：SZ-82067159
お問い合わせ番号：1089-2381-5644
お届け予定日：12月28日 14時～16時
合計：3,240円（税込）
=== ja table 診察予約
桜台クリニック <yoyaku@sakuradai-clinic.example>
診察予約のご確認
| 予約番号 | 02193
| 日時 | 11月4日（水）9時40分
| 診察券番号 | 6609913
ご来院の際は保険証をお持ちください。
=== ja dense 検針
西海ガス <kenshin@saikai-gas.example>
ガスご使用量のお知らせ
お客さま番号 5403-202-2613
メーター番号 44138534
今回指針 8480
ご請求予定金額 5,812円
=== ja card クーポン
パン工房こむぎ <news@komugi-pan.example>
200円引きクーポンコードのお届け
レジでクーポンコードをお伝えください。
> PAN8478
ご利用期限：3月31日まで
=== ja simple 全日空きの便
白鷺航空 <eticket@shirasagi-air.example>
eチケットお客様控え
確認番号：47FF6P。SG6575便、羽田8:05発、高知9:25着。航空券番号7271223817810。保安検査場は出発20分前までに通過してください。
=== ko pair 인증번호
한빛저축은행 <info@hanbit-bank.example>
[한빛저축은행] 새 기기에서 로그인을 시도했습니다
고객님, 안녕하세요.
본인이 맞으시면 앱 화면에 아래 숫자 여섯 자리를 입력해 주세요.
> {894839}
3분이 지나면 사용할 수 없습니다. 본인이 아니라면 고객센터 1588-6424로 연락해 주세요.
- 한빛저축은행 사업자등록번호 771-84-12468
=== ko text 아이디와 인증코드
새벽서점 <help@saebyeok-books.example>
아이디 찾기 결과
회원님의 아이디는 minjun0263 입니다.
비밀번호를 바꾸려면 인증코드 {ZPH-RYM}를 입력하세요.
=== ko simple 고객번호와 보안코드
온누리통신 <cs@onnuri-tel.example>
명의 변경 확인
고객번호 411255012, 접수번호 34641314로 신청하신 명의 변경을 확인하려면 보안코드 {0015}를 입력해 주십시오.
문의: 국번 없이 169
=== ko card 초대 수락
마루 <team@maru-work.example>
서연님이 '가을 전시' 팀에 초대했습니다
[!수락하기](https://maru-work.example/t/FhWLzk6)
[마루 알아보기](https://maru-work.example/about)
=== ko dense 비밀번호 재설정
산들메일 <noreply@sandeul-mail.example>
비밀번호 재설정 안내
아래 주소를 눌러 새 비밀번호를 설정하세요.
<!https://sandeul-mail.example/pw/pm4dbzkci2>
요청하지 않으셨다면 무시하셔도 됩니다.
=== ko both 배송
두루미택배 <noti@durumi-express.example>
고객님의 상품이 오늘 도착합니다
운송장번호: 404242024820
배송기사: 김정호 (010-2972-1775)
[배송 조회](https://durumi-express.example/q/FNP39BNRJ)
=== ko text 예약번호
동백호텔 <rsv@dongbaek-hotel.example>
예약이 확정되었습니다
예약번호: 146132127
체크인 8월 14일 15시, 객실 1인실
문의: 064-756-2261
=== ko table 가스 검침
바다도시가스 <gas@bada-gas.example>
5월 자가검침 안내
| 납부자번호 | 6695229212
| 계량기번호 | 7687173
| 전월 지침 | 3906
28일까지 지침을 알려 주세요.
=== ko simple 상담 접수
푸른전자 서비스 <as@pureun-service.example>
서비스 접수가 완료되었습니다
접수번호 8054779123. 담당 기사가 2시간 안에 연락드립니다. 모델명 PR-4982W.
`);
