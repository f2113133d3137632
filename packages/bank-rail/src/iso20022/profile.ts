import type {
  DebtorAccount,
  InitiationProfile,
  PostalAddress,
  Unwritable,
} from "@disburse/bank-files/iso20022/initiation/payment.ts";
import { writeInitiation } from "@disburse/bank-files/iso20022/initiation/write.ts";
import { addressLinesMax, iso20022Max } from "@disburse/kernel/payment-methods/limits.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { z } from "zod";
import { count, text } from "../settings-parts.ts";

/**
 * The maximum number of payments in one file. The file's document lists all of them, so this limit
 * bounds its size.
 */
const paymentsMost = 20_000;

const addressSchema = z.strictObject({
  street: text(addressLinesMax * iso20022Max.addressLine).optional(),
  house_number: text(iso20022Max.houseNumber).optional(),
  postcode: text(iso20022Max.postcode).optional(),
  town: text(iso20022Max.town),
  region: text(addressLinesMax * iso20022Max.addressLine).optional(),
  country: z.string().regex(/^[A-Z]{2}$/, "must be two capital letters"),
});

/** The debited account as the bank identifies it. */
const accountSchema = z.union([
  z.strictObject({ iban: text(iso20022Max.account) }),
  z.strictObject({ number: text(iso20022Max.account) }),
]);

const agentSchema = z
  .strictObject({
    bic: text(11).optional(),
    clearing: z.strictObject({ system: text(5), member: text(35) }).optional(),
  })
  .refine(({ bic, clearing }) => bic !== undefined || clearing !== undefined, {
    message: "must have a bic or a clearing code",
  });

/**
 * Settings for the pain.001 files that a bank's handbook requires (`InitiationProfile` of
 * bank-files).
 */
export const iso20022Profile = z.strictObject({
  version: z.enum(["pain.001.001.03", "pain.001.001.09"]),
  characters: z.enum(["swift", "utf-8"]),
  initiating_party: z.strictObject({ name: text(iso20022Max.name), id: text(35).optional() }),
  debtor: z.strictObject({ name: text(iso20022Max.name), address: addressSchema.optional() }),
  account: accountSchema,
  agent: agentSchema,
  /**
   * The party that pays charges: shared (SHAR), debtor (DEBT), creditor (CRED), or by the scheme's
   * rule (SLEV, for SEPA).
   */
  charge_bearer: z.enum(["SHAR", "DEBT", "CRED", "SLEV"]),
  batch_booking: z.boolean().default(false),
  service_level: text(4).optional(),
  local_instrument: text(35).optional(),
  category_purpose: text(4).optional(),
  /**
   * The maximum length of a name. Longer names are cut in the bank's file only. SEPA requires 70.
   */
  name_max: count(1, iso20022Max.name).default(iso20022Max.name),
  /** Refuses a payment if the town or country of either party is missing. SWIFT requires both. */
  address_required: z.boolean().default(true),
  payments_max: count(1, paymentsMost).default(10_000),
});

export type Iso20022Profile = z.output<typeof iso20022Profile>;

/** Converts the settings to the writer's profile. */
export function initiationProfile(profile: Iso20022Profile): InitiationProfile {
  const { debtor, initiating_party: party } = profile;
  const { service_level, local_instrument, category_purpose } = profile;
  return {
    version: profile.version,
    characters: profile.characters,
    initiatingParty: { name: party.name, ...(party.id !== undefined && { id: party.id }) },
    debtor: {
      name: debtor.name,
      ...(debtor.address !== undefined && { address: addressOf(debtor.address) }),
    },
    batchBooking: profile.batch_booking,
    ...(service_level !== undefined && { serviceLevel: service_level }),
    ...(local_instrument !== undefined && { localInstrument: local_instrument }),
    ...(category_purpose !== undefined && { categoryPurpose: category_purpose }),
    nameMax: profile.name_max,
    addressRequired: profile.address_required,
    paymentsMax: profile.payments_max,
  };
}

function addressOf(address: z.output<typeof addressSchema>): PostalAddress {
  const { house_number: houseNumber, town, country, ...rest } = address;
  const parts = Object.entries({ ...rest, houseNumber }).filter(([, part]) => part !== undefined);
  return { ...Object.fromEntries(parts), town, country };
}

/** Returns the debited account and its bank. */
export function debtorOf({ account, agent }: Iso20022Profile): DebtorAccount {
  const { bic, clearing } = agent;
  return {
    account:
      "iban" in account
        ? { kind: "iban", iban: account.iban }
        : { kind: "number", number: account.number },
    agent: { ...(bic !== undefined && { bic }), ...(clearing !== undefined && { clearing }) },
  };
}

/** Returns the account identifier that statements use. */
export function accountName({ account }: Iso20022Profile): string {
  return "iban" in account ? account.iban.replaceAll(" ", "").toUpperCase() : account.number;
}

/**
 * Returns faults of the profile that affect every payment, for example `debtor.account.iban: is …`.
 */
export function iso20022ProfileProblems(profile: Iso20022Profile, currency: string): string[] {
  const written = writeSample(profile, currency);
  return isRefused(written) ? sampleProblems(written) : [];
}

/** Writes a sample file with one payment that is valid under every profile. */
export function writeSample(profile: Iso20022Profile, currency: string) {
  // A separate check in live mode requires the debtor's address if a rail pays by SWIFT.
  const checked = { ...initiationProfile(profile), addressRequired: false };
  return writeInitiation(checked, {
    messageId: "CHECK",
    createdAt: new Date(0),
    payments: [
      {
        payoutId: "po_00000000000000000000000000",
        uetr: "00000000-0000-4000-8000-000000000000",
        amount: { minor: 1n, currency },
        debtor: debtorOf(profile),
        requestedOn: "2026-01-02",
        chargeBearer: profile.charge_bearer,
        creditor: {
          name: "X",
          address: { town: "X", country: "US" },
          account: { kind: "number", number: "1" },
        },
      },
    ],
  });
}

/** Returns the faults that a sample file revealed. All of them are faults of the profile. */
export function sampleProblems({ faults }: Unwritable): string[] {
  return faults.map(({ field, problem }) => `${field}: ${problem}`);
}
