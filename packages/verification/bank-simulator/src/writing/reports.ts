import { amountText } from "../amounts.ts";
import type { Booking, Day } from "../book.ts";
import type { CustomerAccount, CustomerFile, Instructed } from "../instructions.ts";

export type PaymentStatus = { readonly status: string; readonly reason?: string };

type Report = { readonly messageId: string; readonly at: Date };

/** Creates a camt.053 with an account's day and balances. */
export function statement(day: Day, { messageId, at }: Report): Uint8Array {
  const { account, currency, number, on, opening, closing, bookings } = day;
  const balances = [balance("OPBD", opening, currency, on), balance("CLBD", closing, currency, on)];
  return document(
    "camt.053.001.08",
    `<BkToCstmrStmt>${groupHeader(messageId, at)}<Stmt><Id>${messageId}-1</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${at.toISOString()}</CreDtTm>${accountOf(account, currency)}${balances.join("")}${bookings.map(entry).join("")}</Stmt></BkToCstmrStmt>`,
  );
}

/** Creates a camt.054 with new bookings of one account. */
export function notification(
  [first, ...others]: readonly [Booking, ...Booking[]],
  { messageId, at }: Report,
): Uint8Array {
  const { account, currency } = first;
  return document(
    "camt.054.001.08",
    `<BkToCstmrDbtCdtNtfctn>${groupHeader(messageId, at)}<Ntfctn><Id>${messageId}-1</Id><CreDtTm>${at.toISOString()}</CreDtTm>${accountOf(account, currency)}${[first, ...others].map(entry).join("")}</Ntfctn></BkToCstmrDbtCdtNtfctn>`,
  );
}

function accountOf({ kind, id }: CustomerAccount, currency: string): string {
  const own = kind === "iban" ? `<IBAN>${id}</IBAN>` : `<Othr><Id>${escaped(id)}</Id></Othr>`;
  return `<Acct><Id>${own}</Id><Ccy>${currency}</Ccy></Acct>`;
}

function balance(type: string, minor: bigint, currency: string, on: string): string {
  const direction = minor < 0n ? "DBIT" : "CRDT";
  const amount = amountText(minor < 0n ? -minor : minor);
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
}

function entry(booking: Booking): string {
  const { direction, minor, charge, currency, reference, bookedOn, payments, blockId } = booking;
  const isReturn = booking.reason !== undefined;
  const named =
    charge === 0n
      ? ""
      : `<Chrgs><Rcrd><Amt Ccy="${currency}">${amountText(charge)}</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>`;
  const details =
    blockId === undefined
      ? payments.map((payment) => transaction(payment, booking.reason)).join("")
      : `<Btch><PmtInfId>${escaped(blockId)}</PmtInfId><NbOfTxs>${payments.length}</NbOfTxs></Btch>`;
  return `<Ntry><Amt Ccy="${currency}">${amountText(minor)}</Amt><CdtDbtInd>${direction === "credit" ? "CRDT" : "DBIT"}</CdtDbtInd><RvslInd>${isReturn}</RvslInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${bookedOn}</Dt></BookgDt><ValDt><Dt>${bookedOn}</Dt></ValDt><AcctSvcrRef>${reference}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${isReturn ? "RRTN" : "XBCT"}</SubFmlyCd></Fmly></Domn></BkTxCd>${named}<NtryDtls>${details}</NtryDtls></Ntry>`;
}

/** Omits the end-to-end id of an ACH entry, because ACH entries have none. */
function transaction({ reference, uetr, ach }: Instructed, reason: string | undefined): string {
  const ids =
    ach === undefined
      ? `<EndToEndId>${escaped(reference)}</EndToEndId>${uetr === undefined ? "" : `<UETR>${uetr}</UETR>`}`
      : `<ClrSysRef>${ach.trace}</ClrSysRef>`;
  const why = reason === undefined ? "" : `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>`;
  return `<TxDtls><Refs>${ids}</Refs>${why}</TxDtls>`;
}

/** Creates a pain.002 with a status for each payment. */
export function statusReport(
  file: CustomerFile,
  statusOf: (payment: Instructed) => PaymentStatus,
  { messageId, at }: Report,
): Uint8Array {
  const all = file.blocks.flatMap(({ payments }) => payments.map((each) => statusOf(each).status));
  const rejected = all.filter((status) => status === "RJCT").length;
  const group = rejected === 0 ? "ACCP" : rejected === all.length ? "RJCT" : "PART";
  const blocks = file.blocks.map(({ id, payments }) => {
    const statuses = payments.map((payment) => {
      const { reference, uetr } = payment;
      const { status, reason } = statusOf(payment);
      const ofUetr = uetr === undefined ? "" : `<OrgnlUETR>${uetr}</OrgnlUETR>`;
      return `<TxInfAndSts><OrgnlEndToEndId>${escaped(reference)}</OrgnlEndToEndId>${ofUetr}<TxSts>${status}</TxSts>${reasonOf(reason)}</TxInfAndSts>`;
    });
    return `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${escaped(id)}</OrgnlPmtInfId>${statuses.join("")}</OrgnlPmtInfAndSts>`;
  });
  return reportOf(file, `<GrpSts>${group}</GrpSts>`, blocks.join(""), { messageId, at });
}

/** Creates a pain.002 that rejects the whole file without naming payments. */
export function fileRejection(file: CustomerFile, reason: string, report: Report): Uint8Array {
  return reportOf(file, `<GrpSts>RJCT</GrpSts>${reasonOf(reason)}`, "", report);
}

function reasonOf(reason: string | undefined): string {
  return reason === undefined ? "" : `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`;
}

function reportOf(
  { id, format }: CustomerFile,
  group: string,
  blocks: string,
  { messageId, at }: Report,
): Uint8Array {
  const original = `<OrgnlMsgId>${escaped(id)}</OrgnlMsgId><OrgnlMsgNmId>${format}</OrgnlMsgNmId>`;
  return document(
    "pain.002.001.11",
    `<CstmrPmtStsRpt>${groupHeader(messageId, at)}<OrgnlGrpInfAndSts>${original}${group}</OrgnlGrpInfAndSts>${blocks}</CstmrPmtStsRpt>`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function document(version: string, body: string): Uint8Array {
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">${body}</Document>`,
  );
}

function groupHeader(messageId: string, at: Date): string {
  return `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${at.toISOString()}</CreDtTm></GrpHdr>`;
}
