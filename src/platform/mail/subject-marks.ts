/** What precedes the subject of a reply, and of a forwarded mail. */
export const replyMarks =
  /^(?:re|aw|antw|antwort|sv|vs|odp|ref|res|ynt|yanıt|回复|回覆|答复|返信|답장|回信)\s*(?:\[\d+\])?\s*[:：]/i;
export const forwardMarks =
  /^(?:fwd?|wg|tr|rv|enc|i|doorst|vb|pd|vl|továbbítás|ilt|İlt|转发|轉寄|転送|전달)\s*[:：]/i;
