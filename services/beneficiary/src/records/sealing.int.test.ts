import { createResealing, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import { createSealer, type Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { creatorOn, merchantId } from "../test-bodies.ts";
import { startTestService, type TestService, testKeys } from "../test-service.ts";
import { openBody, type RecordDocument, sealedRecords } from "./document.ts";

const newer = createSealer(`k2:${Buffer.alloc(32, 2).toString("base64")},${testKeys}`);
const names = ["beneficiaries", "depositors"] as const;

let service: TestService;
/** The service after the rollout of a new key. */
let rotated: TestService;
let ids: { beneficiaries: string[]; depositors: string[] };
const collection = (name: (typeof names)[number]) =>
  service.database.db.collection<RecordDocument>(name);
const documents = () => Promise.all(names.map((name) => collection(name).find().toArray()));

let sealedFirst: RecordDocument[][];

beforeAll(async () => {
  service = await startTestService();
  rotated = await startTestService(service, newer);
  const create = creatorOn(service);
  await create.permit(merchantId, true);
  ids = {
    beneficiaries: [await create.crypto(), await create.fiat(), await create.fiat({}, {}, 1)],
    depositors: [await create.depositor(0), await create.depositor(1), await create.depositor(2)],
  };
  sealedFirst = await documents();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.db.collection("resealing").deleteMany({});
  for (const [at, name] of names.entries()) {
    await collection(name).deleteMany({});
    await collection(name).insertMany(sealedFirst[at] ?? []);
  }
});

const shown = async ({ rpc, deps } = service) => {
  return {
    beneficiaries: (await rpc.listBeneficiaries({ merchantId })).beneficiaries,
    depositors: (await rpc.listDepositors({ merchantId })).depositors,
    individuals: (await rpc.listDepositors({ merchantId, depositorType: "Individual" })).depositors,
    instructions: await Promise.all(
      ids.beneficiaries.map((beneficiaryId) =>
        rpc.getPaymentInstruction({ merchantId, beneficiaryId }),
      ),
    ),
    opened: await Promise.all(ids.depositors.map((id) => deps.depositors.open(merchantId, id))),
  };
};
const resealing = (sealer: Sealer = service.deps.sealer, generation = "k1") => {
  const keys = { sealer, generation: () => generation };
  const places = names.map(sealedRecords);
  return createResealing({ db: service.database.db, keys, places, log: silentLog });
};
const counts = (beneficiaries: number, depositors: number) =>
  new Map(Object.entries({ beneficiaries, depositors }));

it("a created record stores no personal data unsealed", async () => {
  const before = JSON.stringify(sealedFirst.flat().map((each) => openBody(each, newer)));
  const words = [
    ...before.matchAll(/"(?:name|\w*(?:name|email|address|city|postcode))":"([^"]+)"/g),
  ]
    .map(([, word = ""]) => word)
    .filter((word) => word.length > 3);
  expect(words.length).toBeGreaterThan(10);
  const create = creatorOn(service);
  const created = [await create.crypto(), await create.fiat(), await create.depositor(1)];
  const stored = (await documents()).flat().filter(({ _id }) => created.includes(_id));
  expect(stored).toHaveLength(3);
  expect(words.filter((word) => JSON.stringify(stored).includes(word))).toEqual([]);
});

it("a rotation reseals all texts, and the old key then opens none", async () => {
  const before = await shown();
  const { pages, left } = resealing(newer, "k2");
  expect(await left()).toEqual(counts(3, 3));
  await pages();
  expect(await left()).toEqual(counts(0, 0));
  const stored = JSON.stringify(await documents());
  expect(stored).not.toContain('"k1.');
  expect(stored).toContain('"k2.');
  expect(await shown(rotated)).toEqual(before);
});

it("resumes where it was killed, and returns to texts that changed or failed to open", async () => {
  const [first] = await collection("depositors").find().toArray();
  const { seal } = service.deps.sealer;
  const many = Array.from({ length: 120 }, (_each, at) => ({
    ...first!,
    _id: `x${at}`,
    merchant_id: "m",
    operation_id: `x${at}`,
    sealed: [],
    sealed_body: seal(JSON.stringify({ fields: {}, name: "" }), `m|x${at}|body`),
    sealed_content: seal("content", `m|x${at}|operation`),
  }));
  await collection("depositors").insertMany(many);
  const failing: Sealer = {
    ...newer,
    seal: (plain, context) => {
      if (context === "m|x7|body") throw new Error("killed");
      return newer.seal(plain, context);
    },
  };
  const log = { ...silentLog, error: () => undefined };
  const keys = { sealer: failing, generation: () => "k2" };
  const restarted = () => {
    const places = names.map(sealedRecords);
    return createResealing({ db: service.database.db, keys, places, log });
  };
  expect(await restarted().pages()).toBe(true);
  expect(await restarted().left()).toEqual(counts(0, 24));
  // Another process continues there.
  expect(await restarted().pages()).toBe(false);
  expect(await restarted().left()).toEqual(counts(0, 1));
});

it("overwrites no text that another process resealed meanwhile", async () => {
  const before = await shown();
  await Promise.all([resealing(), resealing(newer, "k2"), resealing()].map(({ pages }) => pages()));
  expect(await shown(rotated)).toEqual(before);
  // The next run finds texts whose reseal lost a race.
  await service.database.db.collection("resealing").deleteMany({});
  await resealing(newer, "k2").pages();
  expect(JSON.stringify(await documents())).not.toContain('"k1.');
});

it("changes no record that was changed since it was read", async () => {
  const place = sealedRecords("depositors");
  const read = new Map(sealedFirst.flat().map((document) => [document._id, document]));
  await resealing(newer, "k2").pages();
  const sealed = await documents();
  const newest = createSealer(`k3:${Buffer.alloc(32, 3).toString("base64")},${testKeys}`);
  const keys = { sealer: newest, generation: () => "k3" };
  const late: SealedPlace = {
    ...place,
    reseal: ({ _id }, sealer) => place.reseal(read.get(_id) ?? {}, sealer),
  };
  const { db } = service.database;
  const { pages, left } = createResealing({ db, keys, places: [late], log: silentLog });
  await pages();
  expect(await left()).toEqual(new Map([["depositors", 3]]));
  expect(await documents()).toEqual(sealed);
});
