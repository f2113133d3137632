import { isRefused } from "@disburse/kernel/refusal.ts";
import type { InitiationProfile, Payment } from "../iso20022/initiation/payment.ts";
import { writeInitiation } from "../iso20022/initiation/write.ts";
import { schemaBreaches } from "../iso20022/schemas/validate.ts";

/** Payments of the file that is measured (issue 19: below 3 s and 300 MB). */
const paymentsCount = 10_000;

const profile: InitiationProfile = {
  version: "pain.001.001.09",
  characters: "swift",
  initiatingParty: { name: "Disburse Inc", id: "DISBURSE01" },
  debtor: { name: "Disburse Inc", address: { town: "New York", country: "US" } },
  batchBooking: false,
  serviceLevel: "URGP",
  nameMax: 140,
  addressRequired: true,
  paymentsMax: paymentsCount,
};

function payment(number: number): Payment {
  const hex = number.toString(16).padStart(12, "0");
  return {
    payoutId: `po_01kat3bzr0wm2nq5${hex.slice(2)}`,
    uetr: `8a562c67-ca16-48ba-b074-${hex}`,
    amount: { minor: BigInt(number) + 1n, currency: "USD" },
    debtor: { account: { kind: "number", number: "000123456789" }, agent: { bic: "CHASUS33" } },
    requestedOn: "2026-11-25",
    chargeBearer: "SHAR",
    creditor: {
      name: `Jürgen Weiß & Söhne ${number}`,
      address: { street: "Hauptstraße", postcode: "10115", town: "Berlin", country: "DE" },
      account: { kind: "iban", iban: "DE89370400440532013000" },
      agent: { bic: "DEUTDEFF" },
    },
    remittance: `Invoice ${number}`,
    purpose: "SUPP",
  };
}

function print(what: string, startedAt: number): void {
  const ms = Math.round(performance.now() - startedAt);
  const mebibytes = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`${what}: ${ms} ms, peak of the process ${mebibytes} MiB\n`);
}

const payments = Array.from({ length: paymentsCount }, (_, number) => payment(number));
const createdAt = new Date("2026-11-24T09:30:00.000Z");
const started = performance.now();
const file = writeInitiation(profile, { messageId: "MEASURE1", createdAt, payments });
if (isRefused(file)) throw new Error(`was not written: ${JSON.stringify(file.faults[0])}`);
print(`${paymentsCount} payments, ${file.bytes.length} bytes, written`, started);
const breaches = await schemaBreaches(file.version, file.bytes);
if (breaches.length > 0) throw new Error(JSON.stringify(breaches[0]));
print("written and validated", started);
