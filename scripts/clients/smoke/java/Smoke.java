// A code by mail, with the generated Java client.
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import postern.ApiClient;
import postern.ApiException;
import postern.api.InboxesApi;
import postern.api.InboxesApi.APICreateInboxRequest;
import postern.api.MessagesApi;
import postern.api.WaitingApi;
import postern.api.WaitingApi.APIWaitForMessageRequest;
import postern.model.Inbox;
import postern.model.Message;
import postern.model.NewInbox;

public class Smoke {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("POSTERN_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("POSTERN_API_KEY")));
    InboxesApi inboxes = new InboxesApi(client);
    var create = APICreateInboxRequest.newBuilder().newInbox(new NewInbox().label("smoke")).build();
    Inbox inbox = inboxes.createInbox(create).getData();
    send(inbox.getAddress());
    // By name: the methods with positional parameters change with each new optional one.
    var wait = APIWaitForMessageRequest.newBuilder().id(inbox.getId()).since("0").build();
    Message waited = new WaitingApi(client).waitForMessage(wait).getData();
    Message read = new MessagesApi(client).getMessage(waited.getId()).getData();
    inboxes.deleteInbox(inbox.getId());
    int gone = 0;
    try {
      inboxes.getInbox(inbox.getId());
    } catch (ApiException refused) {
      gone = refused.getCode();
    }
    System.out.println(read.getOtp() + " " + read.getSubject() + " 204 " + (gone == 404 ? "not_found" : gone));
  }

  private static void send(String address) throws Exception {
    String[] server = System.getenv("POSTERN_SMTP").split(":");
    String mail =
        "From: app@example.com\r\nTo: " + address + "\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n.";
    String[] lines = {
      "EHLO smoke", "MAIL FROM:<app@example.com>", "RCPT TO:<" + address + ">", "DATA", mail, "QUIT"
    };
    try (Socket socket = new Socket(server[0], Integer.parseInt(server[1]))) {
      expect(socket);
      for (String line : lines) {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        expect(socket);
      }
    }
  }

  // Reads a reply to its last line, which has a space after the code.
  private static void expect(Socket socket) throws Exception {
    StringBuilder line = new StringBuilder();
    int octet;
    while ((octet = socket.getInputStream().read()) >= 0) {
      if (octet != '\n') {
        line.append((char) octet);
        continue;
      }
      if (line.charAt(0) > '3') throw new IllegalStateException(line.toString());
      if (line.charAt(3) == ' ') return;
      line.setLength(0);
    }
  }
}
