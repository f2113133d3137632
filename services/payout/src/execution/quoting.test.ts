import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { unknownRecord } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { type QuoteTerms, requestQuote } from "./quoting.ts";

const terms: QuoteTerms = {
  merchantId: "mer_1",
  accountId: "acc_1",
  beneficiaryId: "ben_1",
  source: "USD",
  destination: "USD",
  fixed: "source",
  amount: 1000n,
};

it("passes on everything that the quote service's refusal says", async () => {
  const refusal = unknownRecord("beneficiary_id");
  const createQuote = () => Promise.reject(refusalError(publicRefusals, refusal));
  expect(await requestQuote({ quote: { createQuote } }, "op_1", terms)).toMatchObject(refusal);
});
