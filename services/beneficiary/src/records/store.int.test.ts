import { fromJson } from "@bufbuild/protobuf";
import {
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/bodies/depositor.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import type { Document } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  mutation,
  startTestService,
  sweepEveryMs,
  type TestService,
  unavailable,
} from "../test-service.ts";
import type { RecordDocument } from "./document.ts";
import { screeningResult, type Verdict } from "./rules/screening.ts";

let service: TestService;
const merchantId = "mer_acme";

beforeAll(async () => {
  service = await startTestService();
  await service.rpc.createMerchant({ mutation: mutation(), merchantId, name: "Acme" });
  await service.rpc.setMerchantPermissions({
    mutation: mutation(),
    permissions: { merchantId, mayCreateBeneficiaries: true, mayCreateDepositors: true },
  });
});
afterAll(() => service.stop());
beforeEach(() => {
  service.compliance.down = undefined;
});

async function createPending(): Promise<string> {
  const [form] = cryptoBeneficiary.forms;
  const fields = fromJson(CryptoBeneficiaryFieldsSchema, form === undefined ? {} : exampleOf(form));
  const { screenWallet } = service.compliance;
  service.compliance.screenWallet = (request, options) => {
    service.compliance.down = undefined;
    return screenWallet(request, options).finally(() => {
      service.compliance.down = unavailable;
    });
  };
  const request = { mutation: mutation(), merchantId, fields };
  const { beneficiaryId } = await service.rpc.createCryptoBeneficiary(request);
  service.compliance.screenWallet = screenWallet;
  service.compliance.down = undefined;
  return beneficiaryId;
}

describe("a screening", () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 20) + ms);
  const write = (id: string, verdict: Verdict, screeningId: string, ms: number) =>
    service.deps.beneficiaries.writeScreening(
      merchantId,
      id,
      screeningResult(verdict, screeningId, at(ms)),
      service.clock.now(),
    );
  const screening = async (id: string) =>
    (await service.deps.beneficiaries.read(merchantId, id))?.screening;

  it("is overwritten only by a newer one", async () => {
    const id = await createPending();
    expect(await screening(id)).toMatchObject({ status: "pending" });
    expect(await write(id, "block", "scr_b", 10)).toBe(true);
    expect(await write(id, "clear", "scr_a", 9)).toBe(false);
    expect(await write(id, "clear", "scr_a", 10)).toBe(false);
    expect(await write(id, "block", "scr_b", 10)).toBe(false);
    expect(await screening(id)).toMatchObject({ status: "blocked", screeningId: "scr_b" });
    expect(await write(id, "review", "scr_c", 10)).toBe(true);
    expect(await write(id, "clear", "scr_d", 11)).toBe(true);
    expect(await screening(id)).toEqual(screeningResult("clear", "scr_d", at(11)));
  });

  it("ends as the newest, regardless of arrival order", async () => {
    const id = await createPending();
    const results = Array.from({ length: 16 }, (_each, ms) => (ms * 7) % 16);
    await Promise.all(
      results.map((ms) => write(id, ms === 15 ? "review" : "clear", `scr_${ms}`, ms)),
    );
    expect(await screening(id)).toEqual(screeningResult("review", "scr_15", at(15)));
  });

  it("is written to the merchant's own record alone", async () => {
    const id = await createPending();
    const { beneficiaries } = service.deps;
    const result = screeningResult("clear", "scr_a", at(1));
    const now = service.clock.now();
    expect(await beneficiaries.writeScreening("mer_globex", id, result, now)).toBe(false);
    expect(await screening(id)).toMatchObject({ status: "pending" });
  });

  it("that is due is claimed once", async () => {
    const { store, clock } = { store: service.deps.beneficiaries, clock: service.clock };
    clock.moveMs(120_000);
    while ((await store.takeDue(clock.now(), sweepEveryMs)) !== undefined);
    const ids = [await createPending(), await createPending(), await createPending()];
    expect(await store.takeDue(clock.now(), sweepEveryMs)).toBeUndefined();
    clock.moveMs(sweepEveryMs);
    const now = clock.now().getTime();
    const takers = Array.from({ length: 12 }, (_each, ms) =>
      store.takeDue(new Date(now + ms), sweepEveryMs),
    );
    const taken = (await Promise.all(takers)).flatMap((due) => (due === undefined ? [] : [due]));
    const ours = taken.filter((due) => ids.includes(due.record.id));
    expect(ours.map((due) => due.record.id).sort()).toEqual([...ids].sort());
    expect(ours.map((due) => due.attempt)).toEqual([2, 2, 2]);
    expect(ours[0]?.whole.beneficiary_date_of_birth).toBe("1985-04-12");
  });
});

describe("at rest", () => {
  const raw = async (collection: string, id: string): Promise<Document> => {
    const found = await service.database.db
      .collection<{ _id: string }>(collection)
      .findOne({ _id: id });
    if (found === null) throw new Error("no such document");
    return found;
  };

  it("a beneficiary's account, document and birth date are sealed under a named key", async () => {
    const id = await createPending();
    const document = await raw("beneficiaries", id);
    const text = JSON.stringify(document);
    for (const plain of ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "X1234567", "1985-04-12"]) {
      expect(text).not.toContain(plain);
      expect(text.toLowerCase()).not.toContain(plain.toLowerCase());
    }
    expect(document).toMatchObject({
      schema_version: 1,
      merchant_id: merchantId,
      actor: { kind: "api_key", id: "key_1" },
      account_number_masked: `${"*".repeat(38)}eAed`,
    });
    expect(document.sealed).toHaveLength(3);
    for (const { text: sealed } of document.sealed) expect(sealed).toMatch(/^k1\./);
  });

  it("a depositor's wallet, documents and birth dates are sealed", async () => {
    const form = depositor.forms[2];
    const fields = fromJson(DepositorFieldsSchema, form === undefined ? {} : exampleOf(form));
    const request = { mutation: mutation(), merchantId, fields };
    const { depositorId } = await service.rpc.createDepositor(request);
    const text = JSON.stringify(await raw("depositors", depositorId)).toLowerCase();
    for (const plain of [
      "doe trading llc",
      "0x5aaeb6053f3e94",
      "x1234567",
      "1985-04-12",
      "12-3456789",
    ]) {
      expect(text).not.toContain(plain);
    }
  });

  it("a sealed field opens in its own record alone", async () => {
    const [first, second] = [await createPending(), await createPending()];
    const other = await raw("beneficiaries", second);
    await service.database.db
      .collection<{ _id: string }>("beneficiaries")
      .updateOne({ _id: first }, { $set: { sealed: other.sealed } });
    await expect(service.deps.beneficiaries.open(merchantId, first)).rejects.toThrow();
    await expect(service.deps.beneficiaries.open(merchantId, second)).resolves.toBeDefined();
    await service.database.db
      .collection<{ _id: string }>("beneficiaries")
      .deleteOne({ _id: first });
  });
});

describe("an index", () => {
  const due = { "screening.status": "pending", "screening.next_at": { $lte: new Date() } };
  it.each([
    ["a repeat", { merchant_id: merchantId, operation_id: "op" }, {}],
    ["a read", { _id: "ben_1", merchant_id: merchantId }, {}],
    ["the sweep", due, { "screening.next_at": 1 as const }],
    ["what is not watched", { schema_version: 1, _id: { $gt: "" } }, { _id: 1 as const }],
  ])("serves %s", async (_what, filter, sort) => {
    for (const name of ["beneficiaries", "depositors"]) {
      const found = service.database.db.collection<RecordDocument>(name).find(filter).sort(sort);
      const plan = JSON.stringify((await found.explain("queryPlanner")).queryPlanner.winningPlan);
      expect(plan).not.toContain("COLLSCAN");
      expect(plan).not.toContain('"SORT"');
    }
  });
});
