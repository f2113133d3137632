import { expect, it } from "vitest";
import { order } from "../test-documents.ts";
import { closingMovement, pendingMovement } from "./movement.ts";
import { payoutFrom } from "./payout.ts";
import type { Progress } from "./progress.ts";

const payout = payoutFrom(
  {
    ...{ id: "quo_1", merchantId: "mer_1", accountId: "acc_1", corridorId: "cor_1" },
    ...{ source: "USD", destination: "INR", exchangeRate: "83.1234567891" },
    returnCharges: "merchant",
    reissueOf: undefined,
    destinationKeys: ["destination_1"],
    duplicateKeys: [],
    ...{ sourceMinor: 1_241n, feesMinor: 37n, receivingMinor: 100_000n },
    isReceivingFixed: false,
    beneficiary: {
      ...{ id: "ben_1", name: "Asha Rao", accountNumberMasked: "****1234" },
      ...{ transferMethod: "LOCAL", network: "" },
    },
    claimedAt: new Date(0),
  },
  order,
);
const common = { payoutId: payout.id, note: "order-1" };

it("a payment is converted; a release and a return have the ended movement's amount", () => {
  expect(closingMovement(payout, "post")).toStrictEqual({
    ...{ step: "post", ...common },
    conversion: {
      ...{ destination: "INR", feesMinor: 37n, receivingMinor: 100_000n },
      exchangeRate: "83.1234567891",
    },
  });
  for (const step of ["release", "return"] as const) {
    expect(closingMovement(payout, step)).toStrictEqual({ step, ...common });
  }
});

const failure = { code: "ACCOUNT_CLOSED", railCode: "AC04" } as const;
const settled = { kind: "settled", reference: "R" } as const;

it.each<[Progress, ReturnType<typeof pendingMovement>]>([
  [
    { stage: "concluding", outcome: settled },
    { step: "post", to: { stage: "settled", reference: "R" } },
  ],
  [
    { stage: "concluding", outcome: { ...settled, returned: true } },
    { step: "post", to: { stage: "returning", reference: "R" } },
  ],
  [
    { stage: "concluding", outcome: { kind: "rejected" } },
    { step: "release", to: { stage: "rejected" } },
  ],
  [
    { stage: "concluding", outcome: { kind: "cancelled" } },
    { step: "release", to: { stage: "cancelled" } },
  ],
  [{ stage: "cancelling" }, undefined],
  [
    { stage: "returning", reference: "R" },
    { step: "return", to: { stage: "returned", reference: "R" } },
  ],
  [
    { stage: "concluding", outcome: { kind: "rejected", failure } },
    { step: "release", to: { stage: "rejected", failure } },
  ],
  [
    { stage: "concluding", outcome: { ...settled, returned: true, failure } },
    { step: "post", to: { stage: "returning", reference: "R", failure } },
  ],
  [
    { stage: "returning", reference: "R", failure },
    { step: "return", to: { stage: "returned", reference: "R", failure } },
  ],
  [{ stage: "processing" }, undefined],
  [{ stage: "settled", reference: "R" }, undefined],
])("of %j the money moves so: %j", (progress, movement) => {
  expect(pendingMovement(progress)).toStrictEqual(movement);
});
