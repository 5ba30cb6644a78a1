# settings.py, for a running development server
EMAIL_HOST, EMAIL_PORT = "localhost", 1025

# tests.py: Django's test runner replaces the mail backend, so set it back
import json, urllib.request, uuid
from django.core.mail import send_mail
from django.test import SimpleTestCase, override_settings


@override_settings(EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend")
class SignIn(SimpleTestCase):
    def test_the_mail_carries_the_code(self):
        to = f"{uuid.uuid4()}@example.com"
        send_mail("Sign in", "Your code is 493817.", "app@example.com", [to])
        with urllib.request.urlopen(f"http://127.0.0.1:8025/api/v1/inboxes/{to}/messages/wait?since=0") as response:
            self.assertEqual(json.load(response)["data"]["otp"], "493817")
