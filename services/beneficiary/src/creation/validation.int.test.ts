import { Code, ConnectError } from "@connectrpc/connect";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { BodyValues } from "@disburse/forms/fields/field.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Creator, creatorOn, type More, refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService, unavailable } from "../test-service.ts";

let service: TestService;
let create: Creator;

beforeAll(async () => {
  service = await startTestService();
  create = creatorOn(service);
  await create.permit("mer_acme", true);
  await create.permit("mer_frozen", false);
});
afterAll(() => service.stop());
beforeEach(() => service.compliance.reset());

async function stored(): Promise<unknown[]> {
  const { db } = service.database;
  const names = (await db.collections()).map(({ collectionName }) => collectionName).sort();
  return Promise.all(names.map((name) => db.collection(name).find().toArray()));
}

type CreateOne = (change?: BodyValues, more?: More) => Promise<string>;

describe.each<[string, CreateOne]>([
  ["crypto", (change, more) => create.crypto(change, more)],
  ["fiat", (change, more) => create.fiat(change, more)],
])("validating (%s)", (kind, createOne) => {
  const validate: CreateOne = (change, more) => createOne(change, { ...more, validateOnly: true });

  it("stores nothing, screens no party, and returns no beneficiary id", async () => {
    const before = await stored();
    expect(await validate()).toBe("");
    expect(await stored()).toEqual(before);
    expect(service.compliance.parties).toEqual([]);
    expect(service.compliance.wallets).toHaveLength(kind === "crypto" ? 1 : 0);
  });

  it("refuses what creating refuses, in the same order", async () => {
    const bad = { beneficiary_account_type: "" };
    const wallet = { beneficiary_account_number: "0x123" };
    service.compliance.wallet = Verdict.REVIEW;
    const cases: readonly (readonly [BodyValues, More, string])[] = [
      [{ ...bad, ...wallet }, { merchantId: "mer_bare" }, "RECORD_NOT_FOUND"],
      [{ ...bad, ...wallet }, { merchantId: "mer_frozen" }, "BENEFICIARY_CREATION_NOT_ALLOWED"],
      [{ ...bad, ...wallet }, {}, "INVALID_REQUEST"],
    ];
    const ofWallets: typeof cases = [
      [wallet, {}, "INVALID_WALLET_ADDRESS"],
      [{}, {}, "RISK_ANALYSIS_FAILED"],
    ];
    const before = await stored();
    for (const [change, more, code] of kind === "crypto" ? [...cases, ...ofWallets] : cases) {
      const refusal = await refusalOf(validate(change, more));
      expect(refusal).toMatchObject({ code });
      expect(refusal).toEqual(await refusalOf(createOne(change, more)));
    }
    expect(await stored()).toEqual(before);
  });

  it("and creating under one operation don't affect each other", async () => {
    const operation = { mutation: mutation() };
    expect(await validate({}, operation)).toBe("");
    const created = await createOne({}, operation);
    expect(created).toMatch(/^ben_/);
    expect(await validate({}, operation)).toBe("");
    expect(await refusalOf(validate({ destination_currency: "" }, operation))).toMatchObject({
      code: "INVALID_REQUEST",
    });
    expect(await createOne({}, operation)).toBe(created);
  });

  it("needs no operation", async () => {
    expect(await validate({}, { mutation: undefined })).toBe("");
  });
});

it("never accepts a wallet while compliance is unavailable", async () => {
  const before = await stored();
  service.compliance.down = unavailable;
  const failed = await create.crypto({}, { validateOnly: true }).catch((error) => error);
  expect(ConnectError.from(failed).code).toBe(Code.Unavailable);
  expect(await stored()).toEqual(before);
  expect(await create.fiat({}, { validateOnly: true })).toBe("");
});
