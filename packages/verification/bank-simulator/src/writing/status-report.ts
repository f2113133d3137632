import type { CustomerFile, Instructed } from "../instructions.ts";
import { document, escaped, groupHeader } from "./document.ts";

/** What the bank says of a payment: a status of ISO 20022's list, and why it is rejected. */
export type PaymentStatus = { readonly status: string; readonly reason?: string };

type Report = { readonly messageId: string; readonly at: Date };

/** A pain.002 with a status for each payment. */
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

/** A pain.002 that rejects a file as a whole, and names no payment. */
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
