# config/environments/test.rb (a new project has delivery_method = :test there)
#   config.action_mailer.delivery_method = :smtp
#   config.action_mailer.smtp_settings = { address: "localhost", port: 1025 }
# test/system/sign_in_test.rb
require "application_system_test_case"

class SignInTest < ApplicationSystemTestCase
  test "a new user signs in with the code from the mail" do
    email = "#{SecureRandom.uuid}@example.com"
    visit sign_in_path
    fill_in "Email", with: email
    click_on "Send code"
    mail = Net::HTTP.get(URI("http://127.0.0.1:8025/api/v1/inboxes/#{email}/messages/wait?since=0"))
    fill_in "Code", with: JSON.parse(mail).dig("data", "otp")
    assert_text "Welcome"
  end
end
