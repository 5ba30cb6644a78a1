<?php
// tests/Feature/SignInTest.php
namespace Tests\Feature;

use Illuminate\Support\Facades\{Http, Mail};
use Illuminate\Support\Str;
use Tests\TestCase;

class SignInTest extends TestCase
{
    public function test_the_sign_in_mail_carries_the_code(): void
    {
        // The phpunit.xml of a new project replaces the mailer, so set it back
        config(['mail.default' => 'smtp', 'mail.mailers.smtp.host' => 'localhost', 'mail.mailers.smtp.port' => 1025]);
        $to = Str::uuid() . '@example.com';
        Mail::raw('Your code is 493817.', fn ($mail) => $mail->to($to)->subject('Sign in'));
        $response = Http::timeout(30)->get("http://127.0.0.1:8025/api/v1/inboxes/$to/messages/wait", ['since' => 0]);
        $this->assertSame('493817', $response->json('data.otp'));
    }
}
