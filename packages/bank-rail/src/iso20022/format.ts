import type { Agent, Payment } from "@disburse/bank-files/iso20022/initiation/payment.ts";
import {
  sumMinorMax,
  type WrittenInitiation,
  writeInitiation,
} from "@disburse/bank-files/iso20022/initiation/write.ts";
import { schemaBreaches } from "@disburse/bank-files/iso20022/schemas/validate.ts";
import { codeOf } from "@disburse/bank-files/matching/proof.ts";
import { isIban } from "@disburse/bank-files/text/iban.ts";
import { cutToFit, isShown } from "@disburse/bank-files/text/swift-characters.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { iso20022Max, limitOf, paymentMethodOf } from "@disburse/kernel/payment-methods/limits.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";

import type { FileDocument } from "../documents.ts";
import type { BankFormat, FileDefect, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";
import type { Order } from "../payments.ts";
import { type Iso20022RailSettings, minorOf } from "../settings.ts";
import { writeFitting } from "../writing/faults.ts";
import { failureOfReason } from "./failures.ts";
import {
  accountName,
  debtorOf,
  type Iso20022Profile,
  initiationProfile,
  sampleProblems,
  writeSample,
} from "./profile.ts";

/** The ISO 20022 format: sends pain.001; reads pain.002, camt.053 and camt.054. */
export function iso20022Format(settings: Iso20022RailSettings): BankFormat {
  const { profile, currency, return_charges_max } = settings;
  return {
    sumMax: sumMinorMax,
    write: (file, payments) => write(profile, file, payments),
    judging: {
      accounts: [accountName(profile)],
      returnChargesMax: minorOf(return_charges_max, currency) ?? 0n,
      statusSettles: settings.status_settles,
      notExecutedCodes: new Set(settings.not_executed_codes.map(codeOf)),
      entriesSettle: true,
    },
    failureOf: failureOfReason,
    check: () => check(settings),
  };
}

async function write(
  profile: Iso20022Profile,
  { _id: messageId, created_at: createdAt }: FileDocument,
  all: readonly PaymentToWrite[],
): Promise<Writing | ProfileFaults | FileDefect> {
  const fitting = writeFitting(
    all.map((each) => paymentOf(profile, each)),
    (payments) => writeInitiation(initiationProfile(profile), { messageId, createdAt, payments }),
  );
  if (isRefused(fitting)) return fitting;
  const { written, leftOut } = fitting;
  if (written === undefined) return { file: undefined, leftOut };
  const problems = await schemaProblems(written);
  if (problems.length > 0) return { ...refused("DEFECT"), problems };
  const members = written.batches.flatMap(({ paymentInformationId: block, payoutIds }) =>
    payoutIds.map((id) => ({ id, block })),
  );
  return { file: { name: `${messageId}.xml`, bytes: written.bytes, members }, leftOut };
}

/** The maximum number of schema breaches shown to operators. */
const problemsMax = 10;

/** Checks a file against its schema. A file with a breach is not sent. */
async function schemaProblems({ version, bytes }: WrittenInitiation): Promise<string[]> {
  const breaches = await schemaBreaches(version, bytes);
  return breaches.slice(0, problemsMax).map(({ problem }) => `schema: ${problem}`);
}

async function check({ profile, currency }: Iso20022RailSettings): Promise<readonly string[]> {
  const written = writeSample(profile, currency);
  return isRefused(written) ? sampleProblems(written) : schemaProblems(written);
}

function paymentOf(profile: Iso20022Profile, { payment, order }: PaymentToWrite): Payment {
  const { _id: payoutId, uetr, currency, amount_minor, plan } = payment;
  const { characters } = profile;
  const agent = agentOf(order, currency);
  const { remittanceInformation: remittance, purposeCode: purpose } = order;
  return {
    payoutId,
    uetr,
    amount: { minor: fromDecimal128(amount_minor), currency },
    debtor: debtorOf(profile),
    requestedOn: plan.on,
    chargeBearer: profile.charge_bearer,
    creditor: {
      name: cutToFit(order.beneficiaryName, characters, nameMaxOf(profile, order, currency)),
      ...addressOf(order),
      account: isIban(order.accountNumber)
        ? { kind: "iban", iban: order.accountNumber }
        : { kind: "number", number: order.accountNumber },
      ...(agent !== undefined && { agent }),
    },
    ...(isShown(remittance, characters) && {
      remittance: cutToFit(remittance, characters, iso20022Max.remittance),
    }),
    ...(purpose !== "" && { purpose }),
  };
}

/** Returns the smaller of two name limits: the payment method's and the bank's. */
function nameMaxOf({ name_max }: Iso20022Profile, order: Order, currency: string): number {
  const method = paymentMethodOf(order.transferMethod, currency);
  return method === undefined ? name_max : Math.min(name_max, limitOf(method, "name").max);
}

/** A structured address requires town and country. */
function addressOf({ address }: Order): Pick<Payment["creditor"], "address"> {
  const { street, city: town, state: region, postcode, countryCode: country } = address;
  if (town === "" || country === "") return {};
  const parts = Object.entries({ street, region, postcode }).filter(([, part]) => part !== "");
  return { address: { ...Object.fromEntries(parts), town, country } };
}

/** Returns the beneficiary's bank; `undefined` if the IBAN identifies it (SEPA). */
function agentOf(order: Order, currency: string): Agent | undefined {
  const { routingCodeType: type, routingCodeValue: member } = order;
  if (member === "") return undefined;
  // Uses codes of ISO 20022's external list of clearing systems.
  if (type === "ACH CODE") return { clearing: { system: "USABA", member } };
  if (currency === "INR") return { clearing: { system: "INFSC", member } };
  return { bic: member.replaceAll(" ", "").toUpperCase() };
}
