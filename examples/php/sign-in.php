<?php
// php -d sendmail_path="postern sendmail -t -i" sign-in.php
$url = getenv('POSTERN_URL') ?: 'http://127.0.0.1:8025';
$to = bin2hex(random_bytes(8)) . '@example.com';
mail($to, 'Sign in', 'Your code is 493817.', ['From' => 'app@example.com']);

$response = file_get_contents("$url/api/v1/inboxes/$to/messages/wait?since=0");
$code = json_decode($response)->data->otp;
echo $code === '493817' ? "ok\n" : "the code is missing\n";
exit($code === '493817' ? 0 : 1);
