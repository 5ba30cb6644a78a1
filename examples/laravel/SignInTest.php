<?php
// .env.testing: MAIL_MAILER=smtp MAIL_HOST=localhost MAIL_PORT=1025
namespace Tests\Feature;

use Illuminate\Support\Facades\{Http, Mail};
use Illuminate\Support\Str;
use Tests\TestCase;

class SignInTest extends TestCase
{
    public function test_the_sign_in_mail_carries_the_code(): void
    {
        $to = Str::uuid() . '@example.com';
        Mail::raw('Your code is 493817.', fn ($mail) => $mail->to($to)->subject('Sign in'));
        $answer = Http::timeout(30)->get("http://127.0.0.1:8025/api/v1/inboxes/$to/messages/wait", ['since' => 0]);
        $this->assertSame('493817', $answer->json('data.otp'));
    }
}
