/**
 * Creates a pain.001.001.09 with a payment for each amount. The code shares nothing with our
 * writer.
 */
export function initiation(
  amounts: readonly string[],
  id = "M1",
  sum = totalOf(amounts),
): Uint8Array {
  const transfers = amounts.map(
    (amount, at) =>
      `<CdtTrfTxInf><PmtId><EndToEndId>E${id}${at}</EndToEndId><UETR>8a562c67-ca16-48ba-b074-00000000000${at}</UETR></PmtId><Amt><InstdAmt Ccy="EUR">${amount}</InstdAmt></Amt><Cdtr><Nm>Ada Lovelace</Nm></Cdtr><CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct></CdtTrfTxInf>`,
  );
  return new TextEncoder().encode(
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><MsgId>${id}</MsgId><NbOfTxs>${amounts.length}</NbOfTxs><CtrlSum>${sum}</CtrlSum></GrpHdr><PmtInf><PmtInfId>${id}-1</PmtInfId><PmtMtd>TRF</PmtMtd><ReqdExctnDt><Dt>2026-11-25</Dt></ReqdExctnDt><DbtrAcct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></DbtrAcct>${transfers.join("")}</PmtInf></CstmrCdtTrfInitn></Document>`,
  );
}

function totalOf(amounts: readonly string[]): string {
  const cents = amounts.reduce((sum, each) => sum + Number(each.replace(".", "")), 0);
  return `${String(cents).slice(0, -2)}.${String(cents).slice(-2)}`;
}
