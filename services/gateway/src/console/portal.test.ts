import { Code, ConnectError } from "@connectrpc/connect";
import type { GetMerchantResponse } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { beforeEach, expect, it } from "vitest";
import { createMerchantNames } from "./portal.ts";

let calls: string[];
let failure: ConnectError | undefined;
beforeEach(() => {
  calls = [];
  failure = undefined;
});

const beneficiary = {
  getMerchant: async ({ merchantId = "" }: { merchantId?: string }) => {
    calls.push(merchantId);
    if (failure !== undefined) throw failure;
    return { merchant: { name: `${merchantId} Ltd` } } as GetMerchantResponse;
  },
};

it("reads the names of a person's merchants once, however many sessions show them", async () => {
  let nowMs = 1_000;
  const names = createMerchantNames(beneficiary, () => nowMs);
  const teams = ["mer_1", "mer_2", "mer_1"];
  for (let session = 0; session < 3; session += 1) {
    expect(await Promise.all(teams.map(names))).toEqual(["mer_1 Ltd", "mer_2 Ltd", "mer_1 Ltd"]);
  }
  expect(calls).toEqual(["mer_1", "mer_2"]);
  nowMs += 60_001;
  await names("mer_1");
  expect(calls).toEqual(["mer_1", "mer_2", "mer_1"]);
});

it("shows the id of a merchant that is not registered, and fails while the service is away", async () => {
  const names = createMerchantNames(beneficiary, () => 0);
  failure = new ConnectError("none", Code.NotFound);
  expect(await names("mer_1")).toBe("mer_1");
  failure = new ConnectError("away", Code.Unavailable);
  await expect(names("mer_1")).rejects.toThrow("away");
  failure = undefined;
  expect(await names("mer_1")).toBe("mer_1 Ltd");
});
