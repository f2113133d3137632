import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { expect, it } from "vitest";
import type { PaymentDocument } from "./documents.ts";
import { replyOf } from "./rail.ts";

const at = new Date("2026-11-25T20:00:00.000Z");

const payment: PaymentDocument = {
  _id: "po_1",
  schema_version: 1,
  rail: "bank-usd",
  revision: 3,
  state: "settled",
  currency: "USD",
  amount_minor: toDecimal128(1_000n),
  account: "",
  uetr: "1b2c",
  plan: { due_at: at, closes_at: at, on: "2026-11-25", settles_on: "2026-11-27" },
  reference: "R",
  accepted_at: at,
  updated_at: at,
};

const charge = (currency: string) => ({ amount_minor: toDecimal128(500n), currency });

it.each(["settled", "rejected", "returned"] as const)(
  "names the charges of a %s payment",
  (state) => {
    expect(replyOf({ ...payment, state, charges: [charge("USD"), charge("EUR")] })).toMatchObject({
      status: { kind: state },
      charges: [
        { amount: "5.00", currency: "USD" },
        { amount: "5.00", currency: "EUR" },
      ],
    });
  },
);
