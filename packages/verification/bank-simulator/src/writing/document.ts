/** What may stand in a file as text. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An ISO 20022 document. */
export function document(version: string, body: string): Uint8Array {
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">${body}</Document>`,
  );
}

/** The head of a message. */
export function groupHeader(messageId: string, at: Date): string {
  return `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${at.toISOString()}</CreDtTm></GrpHdr>`;
}
