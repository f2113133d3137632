import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { hundredths, sumOf } from "../amounts.ts";
import type { Block, CustomerAccount, CustomerFile, Instructed } from "../instructions.ts";

const namespace = /^urn:iso:std:iso:20022:tech:xsd:(pain\.001\.001\.0[39])$/;
const uetr = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Reads a customer credit transfer initiation as a bank does. The code follows the format's
 * handbook and shares nothing with our writer. Verifies counts and sums.
 *
 * @throws {Error} if the file is invalid.
 */
export function readInitiation(bytes: Uint8Array): CustomerFile {
  const { root } = parseXml(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const version = namespace.exec(root?.attributes.xmlns ?? "")?.[1];
  if (root === null || version === undefined)
    throw new Error("the file is neither a pain.001.001.03 nor a pain.001.001.09 message");
  const format = version as "pain.001.001.03" | "pain.001.001.09";
  const message = within(root, "CstmrCdtTrfInitn");
  const head = within(message, "GrpHdr");
  const id = within(head, "MsgId").text;
  const faults: string[] = [];
  const blocks = all(message, "PmtInf").map((element) => blockOf(element, format, id, faults));
  const payments = blocks.flatMap((block) => block.payments);
  checkTotals(head, payments, "GrpHdr", faults);
  const references = new Set(payments.map(({ reference }) => reference));
  if (references.size !== payments.length) faults.push("has an EndToEndId twice");
  if (payments.length === 0) faults.push("has no payments");
  return { format, id, blocks, faults };
}

function elements({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement);
}

function all(element: XmlElement, name: string): XmlElement[] {
  return elements(element).filter((child) => child.name === name);
}

function find(element: XmlElement, path: string): XmlElement | undefined {
  let at: XmlElement | undefined = element;
  for (const name of path.split("/")) at = at && all(at, name)[0];
  return at;
}

function within(element: XmlElement, path: string): XmlElement {
  const found = find(element, path);
  if (found === undefined) throw new Error(`the element ${element.name} has no ${path}`);
  return found;
}

function blockOf(
  element: XmlElement,
  format: "pain.001.001.03" | "pain.001.001.09",
  fileId: string,
  faults: string[],
): Block {
  const id = within(element, "PmtInfId").text;
  const debited = accountOf(within(element, "DbtrAcct"));
  const day = within(element, format === "pain.001.001.03" ? "ReqdExctnDt" : "ReqdExctnDt/Dt").text;
  if (within(element, "PmtMtd").text !== "TRF") faults.push(`${id}: is not of method TRF`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) faults.push(`${id}: has no day`);
  const payments = all(element, "CdtTrfTxInf").map((transfer): Instructed => {
    const amount = within(transfer, "Amt/InstdAmt");
    const minor = hundredths(amount.text);
    if (minor === undefined || minor === 0n) faults.push(`${id}: has an amount that is none`);
    const ownUetr = find(transfer, "PmtId/UETR")?.text;
    const isUetrRight =
      format === "pain.001.001.03" ? ownUetr === undefined : uetr.test(ownUetr ?? "");
    if (!isUetrRight) faults.push(`${id}: has a UETR that is none`);
    return {
      fileId,
      blockId: id,
      debited,
      requestedOn: day,
      reference: within(transfer, "PmtId/EndToEndId").text,
      ...(ownUetr === undefined ? {} : { uetr: ownUetr }),
      minor: minor ?? 0n,
      currency: amount.attributes.Ccy ?? "",
      creditorName: within(transfer, "Cdtr/Nm").text,
      creditorAccount: accountOf(within(transfer, "CdtrAcct")).id,
    };
  });
  checkTotals(element, payments, id, faults);
  const [currency = "", ...others] = new Set(payments.map((payment) => payment.currency));
  if (others.length > 0) faults.push(`${id}: has several currencies`);
  const inOneSum = find(element, "BtchBookg")?.text === "true";
  return { id, inOneSum, account: debited, currency, payments };
}

function accountOf(element: XmlElement): CustomerAccount {
  const iban = find(element, "Id/IBAN");
  if (iban !== undefined) return { kind: "iban", id: iban.text };
  return { kind: "number", id: within(element, "Id/Othr/Id").text };
}

function checkTotals(
  element: XmlElement,
  payments: readonly Instructed[],
  where: string,
  faults: string[],
): void {
  const count = find(element, "NbOfTxs")?.text ?? String(payments.length);
  if (count !== String(payments.length)) faults.push(`${where}: counts other payments`);
  const sum = find(element, "CtrlSum")?.text;
  const isSame = sum === undefined || hundredths(sum) === sumOf(payments);
  if (!isSame) faults.push(`${where}: has another control sum`);
}
