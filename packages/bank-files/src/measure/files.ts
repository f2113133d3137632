/** The message id of the sent file that all these reports are about. */
export const sentFile = "M1";

const mebibyte = 2 ** 20;

const encode = (text: string) => new TextEncoder().encode(text);

/**
 * Repeats a part until the copies have this many bytes. Each copy contains its number in ten
 * digits.
 */
function copies(part: (number: string) => string, bytes: number): string[] {
  const count = Math.floor(bytes / part("0".repeat(10)).length);
  return Array.from({ length: count }, (_, number) => part(String(number).padStart(10, "0")));
}

/** A status report of 64 MiB on one batch, in the form that banks write. */
export function largeStatusReport(): Uint8Array {
  const head = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>M1-1</OrgnlPmtInfId>`;
  const tail = "</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>";
  const payments = copies(
    (number) =>
      `<TxInfAndSts><StsId>S${number}</StsId><OrgnlInstrId>01KAT3BZR0WM2NQ5${number}</OrgnlInstrId><OrgnlEndToEndId>01KAT3BZR0WM2NQ5${number}</OrgnlEndToEndId><OrgnlUETR>8a562c67-ca16-48ba-b074-00${number}</OrgnlUETR><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Account closed</AddtlInf></StsRsnInf><OrgnlTxRef><Amt><InstdAmt Ccy="USD">12.34</InstdAmt></Amt><Cdtr><Pty><Nm>Jane Doe</Nm></Pty></Cdtr></OrgnlTxRef></TxInfAndSts>`,
    64 * mebibyte - head.length - tail.length,
  );
  return encode(head + payments.join("") + tail);
}

/** A status report that rejects a whole file of ours with long reasons. */
export function fileRejection(): Uint8Array {
  const words = "The file was not accepted, as the account of the debtor is closed. ".repeat(14);
  return encode(
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${sentFile}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>${words}</AddtlInf></StsRsnInf></OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`,
  );
}

/** A statement of one entry with 60 MB of details. */
export function largeEntry(): Uint8Array {
  const head = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>S1</MsgId></GrpHdr><Stmt><Id>S1</Id><Acct><Id><Othr><Id>000123456789</Id></Othr></Id><Ccy>USD</Ccy></Acct><Ntry><Amt Ccy="USD">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls>`;
  const tail = "</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>";
  const details = copies(
    (number) =>
      `<TxDtls><Refs><MsgId>M1</MsgId><AcctSvcrRef>R${number}</AcctSvcrRef><PmtInfId>M1-1</PmtInfId><InstrId>01KAT3BZR0WM2NQ5${number}</InstrId><EndToEndId>01KAT3BZR0WM2NQ5${number}</EndToEndId><UETR>8a562c67-ca16-48ba-b074-00${number}</UETR></Refs><Amt Ccy="USD">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><Cdtr><Pty><Nm>Jane Doe</Nm></Pty></Cdtr></RltdPties><RmtInf><Ustrd>Invoice ${number}</Ustrd></RmtInf></TxDtls>`,
    60_000_000,
  );
  return encode(head + details.join("") + tail);
}
