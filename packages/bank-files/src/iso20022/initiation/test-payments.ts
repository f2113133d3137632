import type { InitiationProfile, Payment } from "./payment.ts";

/** A bank that accepts SWIFT's characters and structured addresses. */
export const swiftProfile: InitiationProfile = {
  version: "pain.001.001.09",
  characters: "swift",
  initiatingParty: { name: "Disburse Inc", id: "DISBURSE01" },
  debtor: { name: "Disburse Inc", address: { town: "New York", country: "US" } },
  batchBooking: false,
  serviceLevel: "URGP",
  nameMax: 140,
  addressRequired: true,
  paymentsMax: 10_000,
};

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export function payoutId(number: number): string {
  const tail = Array.from({ length: 6 }, (_, at) => alphabet.charAt((number >> (5 * at)) & 31));
  return `po_01kat3bzr0wm2nq5e7y8${tail.reverse().join("")}`;
}

export function uetr(number: number): string {
  return `8a562c67-ca16-48ba-b074-${number.toString(16).padStart(12, "0")}`;
}

/** A payment of USD 12.34 by SWIFT to Berlin; `changes` replace its parts. */
export function payment(number: number, changes: Partial<Payment> = {}): Payment {
  return {
    payoutId: payoutId(number),
    uetr: uetr(number),
    amount: { minor: 1234n, currency: "USD" },
    debtor: { account: { kind: "number", number: "000123456789" }, agent: { bic: "CHASUS33" } },
    requestedOn: "2026-11-25",
    chargeBearer: "SHAR",
    creditor: {
      name: "Jürgen Weiß & Söhne",
      address: {
        street: "Hauptstraße",
        houseNumber: "42",
        postcode: "10115",
        town: "Berlin",
        country: "DE",
      },
      account: { kind: "iban", iban: "DE89370400440532013000" },
      agent: { bic: "DEUTDEFF" },
    },
    remittance: "Invoice #123",
    purpose: "SUPP",
    ...changes,
  };
}
