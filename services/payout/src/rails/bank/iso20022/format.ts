import type { Agent, Payment } from "@disburse/bank-files/iso20022/initiation/payment.ts";
import {
  type WrittenInitiation,
  writeInitiation,
} from "@disburse/bank-files/iso20022/initiation/write.ts";
import { schemaBreaches } from "@disburse/bank-files/iso20022/schemas/validate.ts";
import { isIban } from "@disburse/bank-files/text/iban.ts";
import { cutToFit, isShown } from "@disburse/bank-files/text/swift-characters.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { iso20022Max, limitOf, paymentMethodOf } from "@disburse/kernel/payment-methods/limits.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";

import type { FileDocument, StoredFault } from "../documents.ts";
import { leftOut, profileFaults } from "../faults.ts";
import type { BankFormat, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";
import type { Order } from "../payments.ts";
import { type Iso20022RailSettings, minorOf } from "../settings.ts";
import { readAnswer } from "./answer.ts";
import { accountName, debtorOf, type Iso20022Profile, initiationProfile } from "./profile.ts";

/** Files of ISO 20022: pain.001 to the bank; pain.002, camt.053 and camt.054 from it. */
export function iso20022Format(settings: Iso20022RailSettings): BankFormat {
  const { profile, currency, status_settles, return_charges_max } = settings;
  const account = {
    accounts: [accountName(profile)],
    returnChargesMax: minorOf(return_charges_max, currency) ?? 0n,
  };
  return {
    write: (file, payments) => write(profile, file, payments),
    read: (bytes) => readAnswer(bytes, { ...account, statusSettles: status_settles }),
  };
}

/** Writes all that can be written; what cannot is left out, each with its first fault. */
async function write(
  profile: Iso20022Profile,
  file: FileDocument,
  all: readonly PaymentToWrite[],
): Promise<Writing | ProfileFaults> {
  const { _id: messageId, created_at: createdAt } = file;
  const payments = all.map((each) => paymentOf(profile, each));
  const initiation = { messageId, createdAt };
  const written = writeInitiation(initiationProfile(profile), { ...initiation, payments });
  if (!isRefused(written)) return checked(written, messageId, []);
  const left = leftOut(written.faults);
  if (left === undefined) return profileFaults(written.faults);
  const others = payments.filter(({ payoutId }) => !left.has(payoutId));
  const out = [...left.values()];
  if (others.length === 0) return { file: undefined, leftOut: out };
  const rest = writeInitiation(initiationProfile(profile), { ...initiation, payments: others });
  return isRefused(rest) ? profileFaults(rest.faults) : checked(rest, messageId, out);
}

/** No file leaves that its schema refuses: that it is written at all is a defect, for people. */
async function checked(
  { version, bytes, batches }: WrittenInitiation,
  messageId: string,
  out: readonly StoredFault[],
): Promise<Writing | ProfileFaults> {
  const breaches = await schemaBreaches(version, bytes);
  if (breaches.length > 0) {
    const problems = breaches.slice(0, 10).map(({ problem }) => `schema: ${problem}`);
    return { ...refused("UNWRITABLE"), problems };
  }
  const members = batches.flatMap(({ paymentInformationId: block, payoutIds }) =>
    payoutIds.map((id) => ({ id, block })),
  );
  return { file: { name: `${messageId}.xml`, bytes, members }, leftOut: out };
}

function paymentOf(profile: Iso20022Profile, { payment, order }: PaymentToWrite): Payment {
  const { _id: payoutId, uetr, currency, amount_minor, plan } = payment;
  const { characters } = profile;
  const agent = agentOf(order, currency);
  const { remittanceInformation: remittance, purposeCode: purpose } = order;
  return {
    ...{ payoutId, uetr, amount: { minor: fromDecimal128(amount_minor), currency } },
    ...{ debtor: debtorOf(profile), requestedOn: plan.on, chargeBearer: profile.charge_bearer },
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

/** As much of a name as both the payment method and this bank carry. */
function nameMaxOf({ name_max }: Iso20022Profile, order: Order, currency: string): number {
  const method = paymentMethodOf(order.transferMethod, currency);
  return method === undefined ? name_max : Math.min(name_max, limitOf(method, "name").max);
}

/** Without town and country there is no structured address. */
function addressOf({ address }: Order): Pick<Payment["creditor"], "address"> {
  const { street, city: town, state: region, postcode, countryCode: country } = address;
  if (town === "" || country === "") return {};
  const parts = Object.entries({ street, region, postcode }).filter(([, part]) => part !== "");
  return { address: { ...Object.fromEntries(parts), town, country } };
}

/** The beneficiary's bank; where the IBAN tells it, there may be none (SEPA). */
function agentOf(order: Order, currency: string): Agent | undefined {
  const { routingCodeType: type, routingCodeValue: member } = order;
  if (member === "") return undefined;
  // Of ISO 20022's external list of clearing systems.
  if (type === "ACH CODE") return { clearing: { system: "USABA", member } };
  if (currency === "INR") return { clearing: { system: "INFSC", member } };
  return { bic: member.replaceAll(" ", "").toUpperCase() };
}
