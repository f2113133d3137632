/** A payment status report of version .11 with these parts below its root. */
export function statusReport(parts: string, version = "pain.002.001.11"): Uint8Array {
  return document(
    version,
    `<CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId><CreDtTm>2026-11-25T08:00:00Z</CreDtTm></GrpHdr>${parts}</CstmrPmtStsRpt>`,
  );
}

/** A statement of version .08 of one account in USD with these entries. */
export function statement(entries: string, parts = ""): Uint8Array {
  return document(
    "camt.053.001.08",
    `<BkToCstmrStmt><GrpHdr><MsgId>S1</MsgId><CreDtTm>2026-11-25T20:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S1-1</Id><ElctrncSeqNb>7</ElctrncSeqNb><Acct><Id><Othr><Id>000123456789</Id></Othr></Id><Ccy>USD</Ccy></Acct>${parts}${entries}</Stmt></BkToCstmrStmt>`,
  );
}

export function document(version: string, body: string): Uint8Array {
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">${body}</Document>`,
  );
}

/** An entry of version .08. `parts` replace the bank's reference and details. */
export function entry(
  amount: string,
  direction: "CRDT" | "DBIT",
  parts = "",
  status = "BOOK",
): string {
  return `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt><ValDt><Dt>2026-11-26</Dt></ValDt>${parts}</Ntry>`;
}
