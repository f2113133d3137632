import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Creator, creatorOn, merchantId, refusalOf } from "../test-bodies.ts";
import { mutation, startTestService, type TestService } from "../test-service.ts";
import type { BeneficiaryDocument } from "./store.ts";

let service: TestService;
let create: Creator;

beforeAll(async () => {
  service = await startTestService();
  create = creatorOn(service);
  await create.permit(merchantId, true);
});
afterAll(() => service.stop());
beforeEach(() => service.compliance.reset());

const read = async (beneficiaryId: string) =>
  (await service.rpc.getBeneficiary({ merchantId, beneficiaryId })).beneficiary;

/**
 * Simulates a beneficiary stored before its method had limits: an ACH transfer changed to LOCAL.
 */
async function storedBeyondLimits(): Promise<string> {
  const id = await create.fiat({
    transfer_type: "LOCAL",
    beneficiary_account_number: "1".repeat(18),
    beneficiary_city: "a".repeat(35),
  });
  const collection = service.database.db.collection<BeneficiaryDocument>("beneficiaries");
  const found = await collection.findOne({ _id: id });
  const place = `${merchantId}|${id}|body`;
  const { sealer } = service.deps;
  const body = JSON.parse(sealer.open(found?.sealed_body ?? "", place));
  body.fields.transfer_type = "ACH";
  const sealed_body = sealer.seal(JSON.stringify(body), place);
  await collection.updateOne({ _id: id }, { $set: { sealed_body, transfer_method: "ACH" } });
  return id;
}

it("returns the status of a beneficiary and does not open its body", async () => {
  const beneficiaryId = await create.fiat();
  const request = { merchantId, beneficiaryId };
  const whole = await read(beneficiaryId);
  const { $typeName: _, ...status } = await service.rpc.getBeneficiaryStatus(request);
  expect(whole).toMatchObject(status);
  expect(status.screeningStatus).toBe(ScreeningStatus.CLEARED);
  expect(status.archived).toBe(false);

  const collection = service.database.db.collection<BeneficiaryDocument>("beneficiaries");
  const unreadable = { sealed_body: "", "sealed.$[].text": "", sealed_content: "" };
  await collection.updateOne({ _id: beneficiaryId }, { $set: unreadable });
  await expect(read(beneficiaryId)).rejects.toThrow();
  const again = await service.rpc.getBeneficiaryStatus(request);
  expect(again).toMatchObject(status);
  await collection.updateOne(
    { _id: beneficiaryId },
    { $set: { "screening.status": "review", archived: true } },
  );
  const changed = await service.rpc.getBeneficiaryStatus(request);
  expect(changed.screeningStatus).toBe(ScreeningStatus.REVIEW);
  expect(changed.archived).toBe(true);
  await collection.deleteOne({ _id: beneficiaryId });
});

it("names the key that created a beneficiary", async () => {
  const named = { ...mutation(), actor: { ...mutation().actor, name: "ERP" } };
  const beneficiaryId = await create.fiat({}, { mutation: named });
  expect((await read(beneficiaryId))?.createdBy).toMatchObject({ id: "key_1", name: "ERP" });
  const collection = service.database.db.collection<BeneficiaryDocument>("beneficiaries");
  await collection.deleteOne({ _id: beneficiaryId });
});

it("returns several beneficiaries of a merchant, archived ones included", async () => {
  const [first, second] = [await create.crypto(), await create.fiat()];
  const archived = { mutation: mutation(), merchantId, beneficiaryId: second };
  await service.rpc.archiveBeneficiary(archived);
  const get = async (beneficiaryIds: string[], of = merchantId) => {
    const found = await service.rpc.getBeneficiaries({ merchantId: of, beneficiaryIds });
    return found.beneficiaries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
  const both = await Promise.all([first, second].toSorted().map(read));
  expect(await get([second, "ben_none", first])).toEqual(both);
  expect(await get([first], "mer_other")).toEqual([]);
  expect(await get([])).toEqual([]);
  const many = Array.from({ length: 101 }, (_each, at) => `ben_${at}`);
  expect(await refusalOf(get(many))).toMatchObject({
    message: "beneficiary_ids: must have at most 100 entries",
  });
  const collection = service.database.db.collection<BeneficiaryDocument>("beneficiaries");
  await collection.deleteMany({ _id: { $in: [first, second] } });
});

const reason = "beneficiary_account_number: must be at most 17 characters over ACH";

async function all(limit: number) {
  const found: string[] = [];
  let cursor = "";
  do {
    const page = await service.rpc.listUnpayableBeneficiaries({ cursor, limit });
    found.push(...page.beneficiaries.map((each) => `${each.beneficiaryId} ${each.reason}`));
    cursor = page.nextCursor;
  } while (cursor !== "");
  return found;
}

it("reports whether a method carries a stored beneficiary, and lists all unpayable ones", async () => {
  const [crypto, payable, unpayable] = [
    await create.crypto(),
    await create.fiat(),
    await storedBeyondLimits(),
  ];
  expect(await read(crypto)).toMatchObject({ unpayableReason: "" });
  expect(await read(payable)).toMatchObject({ unpayableReason: "" });
  expect(await read(unpayable)).toMatchObject({ unpayableReason: reason });
  const { beneficiaries } = await service.rpc.listBeneficiaries({ merchantId });
  expect(beneficiaries.map((each) => each.unpayableReason).toSorted()).toEqual(["", "", reason]);
  // Small pages, so that most contain no unpayable beneficiary.
  for (const limit of [1, 2, 0]) expect(await all(limit)).toEqual([`${unpayable} ${reason}`]);
  const { beneficiaries: found } = await service.rpc.listUnpayableBeneficiaries({});
  expect(found).toMatchObject([
    { merchantId, transferMethod: "ACH", destinationCurrency: "USD", beneficiaryId: unpayable },
  ]);
  const archived = { mutation: mutation(), merchantId, beneficiaryId: unpayable };
  await service.rpc.archiveBeneficiary(archived);
  expect(await all(0)).toEqual([]);
});

it.each([
  [{ limit: 1_001 }, "limit"],
  [{ limit: -1 }, "limit"],
  [{ cursor: "mer_1" }, "cursor"],
])("refuses a page like %o", async (request, field) => {
  expect(await refusalOf(service.rpc.listUnpayableBeneficiaries(request))).toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining(field),
  });
});

it("pays and screens a person under the name in Latin letters", async () => {
  const id = await create.fiat({
    beneficiary_first_name: "",
    beneficiary_last_name: "山田",
    beneficiary_single_name: true,
    beneficiary_name_latin: "Yamada",
    beneficiary_country_code: "",
    beneficiary_state: "NY",
  });
  const paid = await service.rpc.getPaymentInstruction({ merchantId, beneficiaryId: id });
  expect(paid.beneficiaryName).toBe("Yamada");
  expect(paid.address?.countryCode).toBe("US");
  const stored = await read(id);
  expect(stored).toMatchObject({ name: "山田", nameLatin: "Yamada" });
  expect(stored?.fields.value).toMatchObject({
    beneficiarySingleName: true,
    beneficiaryNameLatin: "Yamada",
    beneficiaryFirstName: "",
  });
  expect(service.compliance.parties.at(-1)?.parties.map(({ name }) => name)).toEqual([
    ...["山田", "Yamada"],
  ]);
});

it("omits placeholders of an address from payments", async () => {
  const id = await create.fiat({
    beneficiary_country_code: "AE",
    beneficiary_state: "-",
    beneficiary_postcode: "n/a",
  });
  const { address } = await service.rpc.getPaymentInstruction({ merchantId, beneficiaryId: id });
  expect(address).toMatchObject({ state: "", postcode: "", city: "New York", countryCode: "AE" });
  expect((await read(id))?.fields.value).toMatchObject({ beneficiaryState: "-" });
});
