import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService } from "../test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const otherContent = "operation_id: was used with other content";
const create = (more: object = {}) =>
  service.rpc.createMerchant({ mutation: mutation(), name: "Acme Ltd", ...more });
const idOf = async (more: object = {}) => (await create(more)).merchant?.id ?? "";

describe("a merchant", () => {
  it("is registered once per operation, under a generated or chosen id", async () => {
    const known = { mutation: mutation() };
    const tries = await Promise.all(Array.from({ length: 8 }, () => idOf(known)));
    expect(new Set(tries).size).toBe(1);
    expect(tries[0]).toMatch(/^mer_[0-9a-z]{26}$/);
    const other = await refusalOf(create({ ...known, name: "Globex" }));
    expect(other).toMatchObject({ code: "INVALID_REQUEST", message: otherContent });
    const chosen = { mutation: mutation(), merchantId: "mer_chosen" };
    expect([await idOf(chosen), await idOf(chosen)]).toEqual(["mer_chosen", "mer_chosen"]);
    expect(await refusalOf(create({ merchantId: "mer_chosen" }))).toMatchObject({
      message: "merchant_id: is already registered",
    });
  });

  it("is found only by its id", async () => {
    const id = await idOf({ name: " Initech " });
    const { merchant } = await service.rpc.getMerchant({ merchantId: id });
    expect(merchant).toMatchObject({ id, name: "Initech" });
    for (const merchantId of ["mer_none", ""]) {
      const refusal = await refusalOf(service.rpc.getMerchant({ merchantId }));
      expect(refusal).toMatchObject({ code: "RECORD_NOT_FOUND" });
    }
  });

  it("gets permissions at its registration", async () => {
    const set = (merchantId: string) =>
      service.rpc.setMerchantPermissions({
        mutation: mutation(),
        permissions: { merchantId, mayCreateBeneficiaries: true, mayCreateDepositors: true },
      });
    expect(await refusalOf(set("mer_unknown"))).toMatchObject({
      code: "RECORD_NOT_FOUND",
      message: "merchant_id: is not known",
    });
    expect((await set(await idOf())).permissions).toMatchObject({ mayCreateDepositors: true });
  });

  it("is listed once, newest first, across pages", async () => {
    const registered: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      service.clock.moveMs(1);
      registered.push(await idOf());
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await service.rpc.listMerchants({ limit: 2, cursor });
      expect(page.totalCount).toBe(BigInt(await merchants().countDocuments()));
      seen.push(...page.merchants.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(seen.slice(0, 5)).toEqual(registered.toReversed());
    expect(new Set(seen).size).toBe(seen.length);
    for (const wrong of [{ limit: 101 }, { cursor: "?" }]) {
      const refusal = await refusalOf(service.rpc.listMerchants(wrong));
      expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    }
  });
});

const merchants = () => service.database.db.collection<{ _id: string }>("merchants");
