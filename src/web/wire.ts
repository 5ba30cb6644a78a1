/** What the dashboard's JSON routes give; the server's views are the source (features/inboxes/view.ts, features/messages/view.ts). */

export interface Me {
  capture: boolean;
  role: 'owner' | 'member';
  is_operator: boolean;
  user: { id: string; email: string } | null;
  account: { id: string; name: string; plan: string };
  plan: Record<string, number>;
  mail_domain: string;
  outbound: boolean;
  version: string;
}

export interface Page<Row> {
  data: Row[];
  pagination: { next_cursor: string | null; has_more: boolean };
}

export interface Inbox {
  id: string;
  address: string;
  label: string;
  domain: string | null;
  is_public: boolean;
  is_enabled: boolean;
  is_catch_all: boolean;
  created_at: string;
  unread: number;
  last_at: string | null;
}

export interface Summary {
  id: string;
  inbox_id: string;
  /** The inbox's; only in the list of all mail and in what is told live. */
  address?: string;
  from: string;
  to: string[];
  cc: string[];
  subject: string;
  received_at: string;
  status: 'parsed' | 'failed';
  otp: string | null;
  otp_confidence: number;
  magic_link: string | null;
  links: string[];
  has_html: boolean;
  read: boolean;
  size: number;
  attachment_count: number;
}

export interface Attachment {
  index: number;
  filename: string | null;
  content_type: string;
  size: number;
  content_id: string | null;
  inline: boolean;
}

export interface Message extends Omit<Summary, 'attachment_count'> {
  address: string;
  message_id: string | null;
  reply_to: string | null;
  sent_at: string | null;
  otp_context: string | null;
  otp_candidates: { code: string; confidence: number; context: string }[];
  text: string;
  html: string;
  metadata: Record<string, unknown>;
  envelope_from: string;
  envelope_recipient: string;
  attachments: Attachment[];
  truncated: boolean;
  remote_content: boolean;
  session: { helo: string; client_address: string; protocol: string };
  /** SPF, DKIM, DMARC as the server judged them, where it does. */
  authentication?: unknown;
}
