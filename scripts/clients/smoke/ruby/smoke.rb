# A code by mail, with the generated Ruby client.
require 'json'
require 'socket'
require 'uri'
require 'postern_client'

Postern.configure do |config|
  url = URI(ENV.fetch('POSTERN_URL'))
  config.scheme = url.scheme
  config.host = "#{url.host}:#{url.port}"
  config.server_index = nil
  config.access_token = ENV.fetch('POSTERN_API_KEY')
end
inboxes = Postern::InboxesApi.new
inbox = inboxes.create_inbox(new_inbox: Postern::NewInbox.new(label: 'smoke')).data

host, port = ENV.fetch('POSTERN_SMTP').split(':')
socket = TCPSocket.new(host, port)
expect = lambda do
  loop do
    line = socket.gets
    raise "SMTP: #{line}" if line.nil? || line[0] > '3'
    break if line[3] == ' '
  end
end
mail = "From: app@example.com\r\nTo: #{inbox.address}\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n."
expect.call
['EHLO smoke', 'MAIL FROM:<app@example.com>', "RCPT TO:<#{inbox.address}>", 'DATA', mail, 'QUIT'].each do |line|
  socket.write("#{line}\r\n")
  expect.call
end

waited = Postern::WaitingApi.new.wait_for_message(inbox.id, since: '0').data
read = Postern::MessagesApi.new.get_message(waited.id).data
inboxes.delete_inbox(inbox.id)
gone = begin
  inboxes.get_inbox(inbox.id)
rescue Postern::ApiError => e
  JSON.parse(e.response_body)['error']['code']
end
puts "#{read.otp} #{read.subject} 204 #{gone}"
