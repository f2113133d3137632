import { fromJson } from "@bufbuild/protobuf";
import { createResealing } from "@disburse/chassis/crypto/resealing.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import {
  ArchivedFilter,
  FiatBeneficiaryFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Creator, creatorOn, example, merchantId, refusalOf } from "../test-bodies.ts";
import {
  hashesOf,
  mutation,
  startTestService,
  type TestService,
  testKeys,
} from "../test-service.ts";
import { openStores } from "../wiring.ts";
import { wantedEntries } from "./search.ts";
import { type BeneficiaryDocument, sealedBeneficiaries } from "./store.ts";

const globex = "mer_globex";
/** The ring after a rotation. */
const ring = `k2:${Buffer.alloc(32, 2).toString("base64")},${testKeys}`;
let service: TestService;
let create: Creator;
const ids: Record<string, string> = {};

beforeAll(async () => {
  service = await startTestService();
  create = creatorOn(service);
  for (const merchant of [merchantId, globex]) await create.permit(merchant, true);
  const named = async (key: string, fields: object, more = {}) => {
    service.clock.moveMs(1_000);
    const account = { beneficiary_account_number: `1000${Object.keys(ids).length}` };
    ids[key] = await create.fiat({ ...account, ...fields }, more);
  };
  await named("ada", {
    ...{ beneficiary_first_name: "Ada", beneficiary_last_name: "Lovelace-Byron" },
    ...{ beneficiary_alias: "countess", reference_id: "s-1", metadata: { team: "engine" } },
  });
  await named("adele", {
    ...{ beneficiary_first_name: "Adèle", beneficiary_last_name: "Christopherson" },
    ...{ beneficiary_alias: "", reference_id: "s-2", metadata: { team: "engine", a: "b" } },
  });
  await named("ivan", {
    ...{ beneficiary_first_name: "Иван", beneficiary_last_name: "Щукин" },
    ...{ beneficiary_name_latin: "Ivan Shchukin", beneficiary_alias: "", metadata: {} },
  });
  await named("foreign", { beneficiary_first_name: "Ada" }, { merchantId: globex });
});
afterAll(() => service.stop());

const collection = () => service.database.db.collection<BeneficiaryDocument>("beneficiaries");
const found = async (search: object, of = service) => {
  const { beneficiaries, totalCount } = await of.rpc.listBeneficiaries({ merchantId, ...search });
  expect(Number(totalCount)).toBe(beneficiaries.length);
  return beneficiaries.map(({ id }) => Object.keys(ids).find((key) => ids[key] === id));
};

describe("a search", () => {
  it.each<[object, string[]]>([
    [{ beneficiaryName: "ada" }, ["ada"]],
    [{ beneficiaryName: "ADE" }, ["adele"]],
    [{ beneficiaryName: "adéle" }, ["adele"]],
    [{ beneficiaryName: "lovelace ada" }, ["ada"]],
    [{ beneficiaryName: "ada adele" }, []],
    [{ beneficiaryName: "lovel" }, ["ada"]],
    [{ beneficiaryName: "byron" }, ["ada"]],
    [{ beneficiaryName: "yron" }, []],
    [{ beneficiaryName: "ad" }, []],
    [{ beneficiaryName: "christop" }, ["adele"]],
    [{ beneficiaryName: "christoph" }, []],
    [{ beneficiaryName: "christopherson" }, ["adele"]],
    [{ beneficiaryName: "щук" }, ["ivan"]],
    [{ beneficiaryName: "Shchukin" }, ["ivan"]],
    [{ beneficiaryName: "countess" }, ["ada"]],
    [{ referenceId: "s-2" }, ["adele"]],
    [{ referenceId: "s" }, []],
    [{ metadata: { team: "engine" } }, ["adele", "ada"]],
    [{ metadata: { team: "engine", a: "b" } }, ["adele"]],
    [{ metadata: { team: "eng" } }, []],
    [{ metadata: { team: "engine" }, beneficiaryName: "ada", referenceId: "s-1" }, ["ada"]],
    [{ metadata: { team: "engine" }, accountType: "Corporate" }, []],
    [{ beneficiaryName: "ada", archived: ArchivedFilter.ONLY }, []],
    [{ beneficiaryName: "ada", destinationCurrency: "INR" }, []],
    [{ beneficiaryName: "ada", merchantId: globex }, ["foreign"]],
  ])("for %j finds %j", async (search, keys) => {
    expect(await found(search)).toEqual(keys);
  });

  it("has pages", async () => {
    const search = { merchantId, metadata: { team: "engine" }, limit: 1 };
    const first = await service.rpc.listBeneficiaries(search);
    const second = await service.rpc.listBeneficiaries({ ...search, cursor: first.nextCursor });
    expect([first, second].map(({ beneficiaries: [one] }) => one?.id)).toEqual([
      ids.adele,
      ids.ada,
    ]);
    expect(second.nextCursor).toBe("");
  });

  it.each([
    [{ beneficiaryName: "--" }, "beneficiary_name: must have a word"],
    [{ referenceId: "x".repeat(256) }, "reference_id: must be at most 255 characters"],
  ])("for %j is refused", async (search, message) => {
    const refusal = refusalOf(service.rpc.listBeneficiaries({ merchantId, ...search }));
    expect(await refusal).toEqual({ code: "INVALID_REQUEST", message });
  });

  it("finds changed data under its new values only", async () => {
    ids.changed = await create.fiat({ beneficiary_alias: "before" });
    const change = { beneficiaryAlias: "after", referenceId: "r-9", metadata: { x: "9" } };
    await service.rpc.updateBeneficiary({
      ...{ mutation: mutation(), merchantId, beneficiaryId: ids.changed },
      ...change,
    });
    expect(await found({ beneficiaryName: "before" })).toEqual([]);
    for (const search of [
      { beneficiaryName: "after" },
      { referenceId: "r-9" },
      { metadata: { x: "9" } },
    ]) {
      expect(await found(search)).toEqual(["changed"]);
    }
  });
});

describe("the stored entries", () => {
  it("have no name in the clear, and none in common with another merchant's", async () => {
    const [own, foreign] = await Promise.all(
      [ids.ada, ids.foreign].map((id) => collection().findOne({ _id: id ?? "" })),
    );
    const text = JSON.stringify(own).toLowerCase();
    for (const word of ["lovelace", "byron", "countess", "engine", '"ada', '"s-1']) {
      expect(text).not.toContain(word);
    }
    expect(own?.search?.length).toBeGreaterThan(10);
    for (const entry of own?.search ?? []) expect(entry).toMatch(/^[\w-]{22}$|^[\w-]{43}$/);
    expect(own?.search?.filter((entry) => foreign?.search?.includes(entry))).toEqual([]);
  });

  it("are read by their index in the order of the list, with hashes of two keys", async () => {
    const { db } = service.database;
    const watching = new MongoClient(mongodbUri(db.databaseName), { monitorCommands: true });
    const sent: Document[] = [];
    watching.on("commandStarted", ({ command }) => sent.push(command));
    const database = { ...service.database, db: watching.db(db.databaseName) };
    const hashes = hashesOf(ring);
    const { beneficiaries } = openStores(database, service.deps.sealer, hashes);
    const wanted = [["name", "ada"] as const, ["metadata", "team", "engine"] as const];
    const search = wantedEntries(hashes, merchantId, wanted);
    const filter = { where: {}, createdFrom: undefined, createdTo: undefined, search };
    await beneficiaries.list(merchantId, filter, { limit: 10, cursor: "" });
    await watching.close();
    const page = sent.find(({ find }) => find !== undefined);
    const { lsid, $clusterTime, $db, ...explain } = page ?? {};
    const plan = JSON.stringify(await db.command({ explain, verbosity: "queryPlanner" }));
    expect(plan).toContain('"indexName":"search"');
    expect(plan).toContain('"stage":"SORT_MERGE"');
    expect(plan).not.toContain('"stage":"SORT"');
  });
});

it("finds beneficiaries of the release before, once resealing has passed them", async () => {
  await collection().updateOne({ _id: ids.ivan ?? "" }, { $unset: { search: "" } });
  expect(await found({ beneficiaryName: "ivan" })).toEqual([]);
  const { sealer, hashes } = service.deps;
  const keys = { sealer, generation: () => "after the migration" };
  const places = [sealedBeneficiaries(hashes)];
  await createResealing({ db: service.database.db, keys, places, log: silentLog }).pages();
  expect(await found({ beneficiaryName: "ivan" })).toEqual(["ivan"]);
});

describe("a rotation of the key", () => {
  it("keeps every beneficiary findable, before and after its entries are hashed again", async () => {
    const hashes = hashesOf(ring);
    const sealer = createSealer(ring);
    const rotated = await startTestService(service, sealer, hashes);
    expect(await found({ beneficiaryName: "ada" }, rotated)).toEqual(["ada"]);
    const before = await collection().findOne({ _id: ids.ada ?? "" });
    const keys = { sealer, generation: () => "k2" };
    const places = [sealedBeneficiaries(hashes)];
    await createResealing({ db: service.database.db, keys, places, log: silentLog }).pages();
    const after = await collection().findOne({ _id: ids.ada ?? "" });
    expect(after?.search).toHaveLength(before?.search?.length ?? 0);
    expect(after?.search?.filter((entry) => before?.search?.includes(entry))).toEqual([]);
    expect(await found({ beneficiaryName: "ada" }, rotated)).toEqual(["ada"]);
    // A process that was not restarted yet knows the new key, because it was announced behind.
    const announced = hashesOf(ring.split(",").toReversed().join(","));
    const waiting = await startTestService(service, sealer, announced);
    expect(await found({ beneficiaryName: "ada" }, waiting)).toEqual(["ada"]);
  });
});

describe("a creation", () => {
  const fields = (change: object = {}) =>
    fromJson(FiatBeneficiaryFieldsSchema, {
      ...example(fiatBeneficiary),
      ...{ beneficiary_account_number: "99887766" },
      ...change,
    });
  const created = async (change: object = {}, more: object = {}, of = service) => {
    service.clock.moveMs(1_000);
    return of.rpc.createFiatBeneficiary({
      ...{ mutation: mutation(), merchantId, fields: fields(change) },
      ...more,
    });
  };

  it("reports the oldest earlier beneficiary with the same account that isn't archived", async () => {
    const first = await created();
    expect(first.existingBeneficiaryId).toBe("");
    const operation = { mutation: mutation() };
    const second = await created({ beneficiary_last_name: "Roe" }, operation);
    expect(second.existingBeneficiaryId).toBe(first.beneficiaryId);
    const third = await created();
    expect(third.existingBeneficiaryId).toBe(first.beneficiaryId);
    expect(await created({ beneficiary_last_name: "Roe" }, operation)).toEqual(second);
    const archived = { mutation: mutation(), merchantId, beneficiaryId: first.beneficiaryId };
    await service.rpc.archiveBeneficiary(archived);
    expect((await created()).existingBeneficiaryId).toBe(second.beneficiaryId);
    expect((await created({}, { merchantId: globex })).existingBeneficiaryId).toBe("");
    expect((await created({}, { validateOnly: true })).existingBeneficiaryId).toBe("");
    const rotated = await startTestService(service, createSealer(ring), hashesOf(ring));
    rotated.clock.moveMs(3_600_000);
    expect((await created({}, {}, rotated)).existingBeneficiaryId).toBe(second.beneficiaryId);
  });
});
