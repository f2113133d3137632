import { parseXml, XmlElement } from "@rgrove/parse-xml";

/** What a bank of a test does with a payment. */
export type Fate = "settled" | "rejected" | "duplicate" | "returned" | "returned-short" | "waiting";

/** A payment as it stands in a file that the bank got: all that it knows of it. */
type Got = {
  readonly endToEndId: string;
  readonly uetr: string;
  readonly cents: bigint;
  readonly fate: Fate;
};

/** What the bank keeps of a return that is short. */
export const returnCharge = 7n;

const opening = 1_000_000n;

/** The files that a bank sends for one of ours, and what it knows to be in them. */
export type Answers = {
  readonly statusReport: Uint8Array;
  readonly statement: Uint8Array;
};

/**
 * Answers a pain.001.001.09 in USD of one block: a status for each payment, and the day's statement
 * with its balances. `fates` are in the order of the file.
 */
export function answersOf(file: Uint8Array, fates: readonly Fate[], inOneSum: boolean): Answers {
  const { root } = parseXml(new TextDecoder().decode(file));
  if (root === null) throw new Error("the file is empty");
  const block = within(within(root, "CstmrCdtTrfInitn"), "PmtInf");
  const transfers = elements(block).filter(({ name }) => name === "CdtTrfTxInf");
  const got = transfers.map((transfer, at): Got => {
    const id = within(transfer, "PmtId");
    return {
      endToEndId: within(id, "EndToEndId").text,
      uetr: within(id, "UETR").text,
      cents: BigInt(within(within(transfer, "Amt"), "InstdAmt").text.replace(".", "")),
      fate: fates[at] ?? "waiting",
    };
  });
  const messageId = within(within(within(root, "CstmrCdtTrfInitn"), "GrpHdr"), "MsgId").text;
  const blockId = within(block, "PmtInfId").text;
  const account = within(within(within(within(block, "DbtrAcct"), "Id"), "Othr"), "Id").text;
  return {
    statusReport: statusReportOf(messageId, blockId, got),
    statement: statementOf(account, blockId, got, inOneSum),
  };
}

function elements({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement);
}

function within(element: XmlElement, name: string): XmlElement {
  const found = elements(element).find((child) => child.name === name);
  if (found === undefined) throw new Error(`${element.name} has no ${name}`);
  return found;
}

function statusReportOf(messageId: string, blockId: string, got: readonly Got[]): Uint8Array {
  const statuses = got.map(({ endToEndId, uetr, fate }) => {
    const reason = { rejected: "AC04", duplicate: "AM05" }[fate as string];
    const status = reason === undefined ? "ACSP" : "RJCT";
    const why = reason === undefined ? "" : `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`;
    return `<TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><OrgnlUETR>${uetr}</OrgnlUETR><TxSts>${status}</TxSts>${why}</TxInfAndSts>`;
  });
  return document(
    "pain.002.001.11",
    `<CstmrPmtStsRpt><GrpHdr><MsgId>R1</MsgId><CreDtTm>2026-11-25T08:00:00Z</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>${blockId}</OrgnlPmtInfId>${statuses.join("")}</OrgnlPmtInfAndSts></CstmrPmtStsRpt>`,
  );
}

function statementOf(
  account: string,
  blockId: string,
  got: readonly Got[],
  inOneSum: boolean,
): Uint8Array {
  const refused = new Set<Fate>(["rejected", "duplicate"]);
  const paid = got.filter(({ fate }) => fate !== "waiting" && !refused.has(fate));
  const sum = paid.reduce((total, { cents }) => total + cents, 0n);
  const debits = inOneSum
    ? [
        entry(sum, "DBIT", false, "D", {
          block: `<Btch><PmtInfId>${blockId}</PmtInfId><NbOfTxs>${paid.length}</NbOfTxs></Btch>`,
        }),
      ]
    : paid.map((one, at) => entry(one.cents, "DBIT", false, `D${at}`, { one }));
  const back = paid
    .filter(({ fate }) => fate.startsWith("returned"))
    .map((one) => ({ ...one, cents: one.cents - (one.fate === "returned" ? 0n : returnCharge) }));
  const credits = back.map((one, at) => entry(one.cents, "CRDT", true, `C${at}`, { one }));
  const closing = opening - sum + back.reduce((total, { cents }) => total + cents, 0n);
  const balances = [balance("OPBD", opening), balance("CLBD", closing)];
  return document(
    "camt.053.001.08",
    `<BkToCstmrStmt><GrpHdr><MsgId>S1</MsgId><CreDtTm>2026-11-25T20:00:00Z</CreDtTm></GrpHdr><Stmt><Id>S1-1</Id><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>USD</Ccy></Acct>${balances.join("")}${(paid.length === 0 ? [] : debits).join("")}${credits.join("")}</Stmt></BkToCstmrStmt>`,
  );
}

function entry(
  cents: bigint,
  direction: "CRDT" | "DBIT",
  isReturn: boolean,
  reference: string,
  { one, block = "" }: { one?: Got; block?: string },
): string {
  const why = isReturn ? "<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>" : "";
  const details =
    one === undefined
      ? ""
      : `<TxDtls><Refs><EndToEndId>${one.endToEndId}</EndToEndId><UETR>${one.uetr}</UETR></Refs>${why}</TxDtls>`;
  return `<Ntry><Amt Ccy="USD">${dollars(cents)}</Amt><CdtDbtInd>${direction}</CdtDbtInd><RvslInd>${isReturn}</RvslInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>XBCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls>${block}${details}</NtryDtls></Ntry>`;
}

function balance(type: string, cents: bigint): string {
  const direction = cents < 0n ? "DBIT" : "CRDT";
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${dollars(cents < 0n ? -cents : cents)}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>2026-11-25</Dt></Dt></Bal>`;
}

function dollars(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function document(version: string, body: string): Uint8Array {
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">${body}</Document>`,
  );
}
