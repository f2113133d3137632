import { iso20022Max } from "@disburse/kernel/payment-methods/limits.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import XmlBuilder from "fast-xml-builder";
import { endToEndIdOf, isUetr } from "../../references.ts";
import { controlSum, minorDigits, moneyText } from "../../text/minor-units.ts";
import { isBankReference } from "../../text/swift-characters.ts";
import { type Content, content, FieldWriter } from "./fields.ts";
import type {
  Account,
  Fault,
  Initiation,
  InitiationProfile,
  InitiationVersion,
  Payment,
  Unwritable,
} from "./payment.ts";

/**
 * The payments of one block of a file. They have the same account, currency, day and charge bearer.
 */
type PaymentGroup = readonly [Payment, ...Payment[]];

/** A block of a written file. Bank reports identify the block by `paymentInformationId`. */
export type WrittenBatch = {
  readonly paymentInformationId: string;
  /** The control sum, as written in the file. */
  readonly sum: string;
  readonly payoutIds: readonly string[];
};

/** A file to store, hash and upload; not yet validated against its schema. */
export type WrittenInitiation = {
  readonly version: InitiationVersion;
  readonly bytes: Uint8Array;
  readonly batches: readonly WrittenBatch[];
};

/** The maximum digits of an amount or a sum, including decimals (ISO 20022, `DecimalNumber`). */
const digitsMax = 18;

/** The largest sum of one file in one currency, in minor units: 18 digits. */
export const sumMinorMax = 10n ** BigInt(digitsMax) - 1n;

const digitsOf = (decimal: string) => decimal.replace(/\D/g, "").length;

/**
 * A block's id is the message id plus the block's number. Ids have at most 35 characters, so 7
 * remain for the number.
 */
const messageIdMax = 28;

/** Element names that differ between versions of the message. */
const names = {
  "pain.001.001.03": { bic: "BIC", hasUetr: false },
  "pain.001.001.09": { bic: "BICFI", hasUetr: true },
} as const;

const builder = new XmlBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressEmptyNode: false,
});

/**
 * Writes a customer credit transfer initiation. Equal input gives equal bytes. Refuses the whole
 * file if any part cannot be written, and lists every fault.
 */
export function writeInitiation(
  profile: InitiationProfile,
  initiation: Initiation,
): WrittenInitiation | Unwritable {
  const { messageId, createdAt, payments } = initiation;
  const fields = new FieldWriter(profile.characters);
  const faults = [...headFaults(profile, initiation), ...repeats(payments)];
  const blocks = paymentGroups(payments).map((group, index) => {
    return blockOf(profile, group, `${messageId}-${index + 1}`, faults);
  });
  const head = {
    MsgId: messageId,
    CreDtTm: createdAt.toISOString(),
    NbOfTxs: String(payments.length),
    CtrlSum: controlSum(payments.map(({ amount }) => amount)),
    InitgPty: initiatingParty(profile, fields),
  };
  faults.push(...fields.faults);
  if (faults.length > 0) return { ...refused("UNWRITABLE"), faults };
  const text = builder.build({
    Document: {
      "@xmlns": `urn:iso:std:iso:20022:tech:xsd:${profile.version}`,
      CstmrCdtTrfInitn: { GrpHdr: head, PmtInf: blocks.map((block) => block.content) },
    },
  });
  const bytes = new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
  return { version: profile.version, bytes, batches: blocks.map((block) => block.batch) };
}

function headFaults(profile: InitiationProfile, { messageId, payments }: Initiation): Fault[] {
  const faults: Fault[] = [];
  if (!isBankReference(messageId) || messageId.length > messageIdMax) {
    faults.push({ field: "messageId", problem: `is not a reference of up to ${messageIdMax}` });
  }
  if (profile.addressRequired && profile.debtor.address === undefined) {
    faults.push({ field: "debtor.address", problem: "is required" });
  }
  if (payments.length === 0) faults.push({ field: "payments", problem: "are missing" });
  if (payments.length > profile.paymentsMax) {
    faults.push({ field: "payments", problem: `are more than ${profile.paymentsMax}` });
  }
  const sum = controlSum(payments.map(({ amount }) => amount));
  if (digitsOf(sum) > digitsMax) {
    faults.push({ field: "payments", problem: `sum up to more than ${digitsMax} digits` });
  }
  return faults;
}

/** Reports a payout or a UETR that occurs twice, because the bank would pay twice. */
function repeats(payments: readonly Payment[]): Fault[] {
  const seen = new Set<string>();
  return payments.flatMap(({ payoutId, uetr }) => {
    const problem = "stands twice in the file";
    const faults: Fault[] = seen.has(payoutId) ? [{ payoutId, field: "payoutId", problem }] : [];
    if (uetr !== undefined && seen.has(uetr)) faults.push({ payoutId, field: "uetr", problem });
    seen.add(payoutId);
    if (uetr !== undefined) seen.add(uetr);
    return faults;
  });
}

function initiatingParty({ initiatingParty }: InitiationProfile, fields: FieldWriter): Content {
  const { name, id } = initiatingParty;
  const organisation = fields.optional("initiatingParty.id", id, 35);
  return content({
    Nm: fields.party("initiatingParty.name", name, iso20022Max.name),
    Id: organisation && { OrgId: { Othr: { Id: organisation } } },
  });
}

function blockOf(
  profile: InitiationProfile,
  group: PaymentGroup,
  paymentInformationId: string,
  faults: Fault[],
): { content: Content; batch: WrittenBatch } {
  const [{ debtor, requestedOn, chargeBearer }] = group;
  const fields = new FieldWriter(profile.characters);
  const { bic } = names[profile.version];
  const day = fields.date("requestedOn", requestedOn);
  const sum = controlSum(group.map(({ amount }) => amount));
  const block = content({
    PmtInfId: paymentInformationId,
    PmtMtd: "TRF",
    BtchBookg: String(profile.batchBooking),
    NbOfTxs: String(group.length),
    CtrlSum: sum,
    PmtTpInf: paymentType(profile, fields),
    ReqdExctnDt: profile.version === "pain.001.001.03" ? day : { Dt: day },
    Dbtr: content({
      Nm: fields.party("debtor.name", profile.debtor.name, profile.nameMax),
      PstlAdr: profile.debtor.address && fields.address("debtor.address", profile.debtor.address),
    }),
    DbtrAcct: { Id: fields.account("debtor.account", debtor.account) },
    DbtrAgt: fields.agent("debtor.agent", debtor.agent, bic),
    ChrgBr: chargeBearer,
    CdtTrfTxInf: group.map((payment) => transferOf(profile, payment, faults)),
  });
  faults.push(...fields.faults);
  const payoutIds = group.map(({ payoutId }) => payoutId);
  return { content: block, batch: { paymentInformationId, sum, payoutIds } };
}

function paymentType(profile: InitiationProfile, fields: FieldWriter): Content | undefined {
  const { serviceLevel, localInstrument, categoryPurpose } = profile;
  const code = (field: string, text: string | undefined, form: RegExp) =>
    text === undefined ? undefined : { Cd: fields.code(field, text, form) };
  const type = content({
    SvcLvl: code("serviceLevel", serviceLevel, /^[A-Z0-9]{1,4}$/),
    LclInstrm: code("localInstrument", localInstrument, /^[A-Z0-9]{1,35}$/),
    CtgyPurp: code("categoryPurpose", categoryPurpose, /^[A-Z0-9]{1,4}$/),
  });
  return Object.keys(type).length === 0 ? undefined : type;
}

function transferOf(profile: InitiationProfile, payment: Payment, faults: Fault[]): Content {
  const { payoutId, amount, creditor } = payment;
  const fields = new FieldWriter(profile.characters, payoutId);
  const { bic } = names[profile.version];
  if (profile.addressRequired && creditor.address === undefined) {
    fields.fault("creditor.address", "is required");
  }
  const endToEndId = endToEndIdOf(payoutId);
  const transfer = content({
    PmtId: content({
      InstrId: endToEndId,
      EndToEndId: endToEndId,
      UETR: uetrOf(profile, payment, fields),
    }),
    Amt: { InstdAmt: { "@Ccy": amount.currency, "#text": amountOf(payment, fields) } },
    CdtrAgt: creditor.agent && fields.agent("creditor.agent", creditor.agent, bic),
    Cdtr: content({
      Nm: fields.party("creditor.name", creditor.name, profile.nameMax),
      PstlAdr: creditor.address && fields.address("creditor.address", creditor.address),
    }),
    CdtrAcct: { Id: fields.account("creditor.account", creditor.account) },
    Purp: purposeOf(payment, fields),
    RmtInf: payment.remittance && {
      Ustrd: fields.text("remittance", payment.remittance, iso20022Max.remittance),
    },
  });
  faults.push(...fields.faults);
  return transfer;
}

function uetrOf(profile: InitiationProfile, { uetr }: Payment, fields: FieldWriter) {
  if (!names[profile.version].hasUetr) return undefined;
  if (uetr === undefined || !isUetr(uetr)) fields.fault("uetr", "is not a UUID of version 4");
  return uetr;
}

function amountOf({ amount }: Payment, fields: FieldWriter): string {
  if (minorDigits(amount.currency) === undefined) {
    fields.fault("amount.currency", "has no minor unit");
    return "";
  }
  if (amount.minor <= 0n) fields.fault("amount", "is not above zero");
  const text = moneyText(amount);
  if (digitsOf(text) > digitsMax) fields.fault("amount", `has more than ${digitsMax} digits`);
  return text;
}

function purposeOf({ purpose }: Payment, fields: FieldWriter): Content | undefined {
  if (purpose === undefined) return undefined;
  return { Cd: fields.code("purpose", purpose, /^[A-Z0-9]{1,4}$/) };
}

/**
 * Groups payments by the values that a block shares, in the order of each group's first payment.
 */
function paymentGroups(payments: readonly Payment[]): PaymentGroup[] {
  const groups = new Map<string, [Payment, ...Payment[]]>();
  for (const payment of payments) {
    const key = groupKey(payment);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [payment]);
    else group.push(payment);
  }
  return [...groups.values()];
}

function groupKey({ debtor, amount, requestedOn, chargeBearer }: Payment): string {
  const { agent, account } = debtor;
  const bank = [agent.bic, agent.clearing?.system, agent.clearing?.member];
  return JSON.stringify([accountKey(account), bank, amount.currency, requestedOn, chargeBearer]);
}

function accountKey(account: Account): readonly string[] {
  return account.kind === "iban" ? ["iban", account.iban] : ["number", account.number];
}
