import { ReadingFailed } from "@disburse/bank-files/reading/opened-file.ts";
import { answersOf } from "@disburse/bank-simulator/answers.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  BankFindingResolution,
  BankPaymentOutcome,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../../test-platform.ts";
import { freshKey, instruction } from "../test-contract.ts";
import { readContent, sha256Of } from "./contents.ts";
import { type BankStore, openBankStore } from "./documents.ts";
import { achAnswers } from "./nacha/test-bank.ts";
import { bankFilesGuards } from "./rpc.ts";
import { countWaiting } from "./silence.ts";
import { sealer, swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer } from "./test-server.ts";

let platform: TestPlatform;
let store: BankStore;
let now = wednesday("09:00");
let bank = createTestServer();

beforeAll(async () => {
  platform = await startTestPlatform();
  store = openBankStore(platform.database);
});
afterAll(() => platform.stop());
beforeEach(async () => {
  await Promise.all(Object.values(store).map((each) => each.deleteMany({})));
  bank = createTestServer();
  now = wednesday("09:00");
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const day = (text: string) => new Date(`${text}:00.000-05:00`);
/** Settled on Wednesday; Thursday is a holiday: Friday and Monday are the window for returns. */
const windowIsOver = day("2026-12-01T09:00");

/** One process of a rail by ACH. */
function openAch() {
  return testRail(testSettings("nacha"), { store, server: bank.server, now: () => now });
}

/** A payment that was sent on Wednesday morning, and the file that has it. */
async function sent(one: ReturnType<typeof openAch>) {
  const key = freshKey();
  now = wednesday("09:00");
  await one.rail.submit(key, instruction);
  now = wednesday("09:46");
  await one.dispatcher.run();
  const [file] = bank.sent().slice(-1);
  if (file === undefined) throw new Error("nothing was sent");
  return { key, bytes: file.bytes };
}

const kindOf = async (key: string) => (await openAch().rail.query(key)).status.kind;
const open = (filter: object = {}) => store.findings.find({ open: true, ...filter }).toArray();
const waiting = () => countWaiting(store, "bank-ach", "2026-11-25");

/** Ends a finding by an operator. */
function handle(findingId: string, changes: object) {
  const { operationId } = platform.operation();
  return platform.operationsRpc.handleBankFinding({
    mutation: { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "ada" } },
    findingId,
    note: "The bank's desk says so: ticket 4711.",
    ...changes,
  });
}

describe("silence settles a payment only", () => {
  it("after the folder was listed with every file in it read", async () => {
    const one = openAch();
    const { key } = await sent(one);
    bank.knobs.isAway = true;
    now = windowIsOver;
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    now = day("2026-12-03T09:00");
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ unread_file: 0, unmatched_return: 0, server: 1 });
    bank.knobs.isAway = false;
    now = new Date(now.getTime() + 31_000);
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("settled");
    expect(await waiting()).toEqual({ unread_file: 0, unmatched_return: 0, server: 0 });
  });

  it("of a look that came after the window: an earlier one proves nothing", async () => {
    const one = openAch();
    const { key } = await sent(one);
    now = day("2026-11-30T23:59");
    await one.dispatcher.run();
    bank.knobs.isAway = true;
    now = windowIsOver;
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    expect(await kindOf(key)).toBe("accepted");
  });

  it("where no file still grows: it may be the return", async () => {
    const one = openAch();
    const { key, bytes } = await sent(one);
    now = windowIsOver;
    bank.put("returns.ach", achAnswers(bytes, [{ code: "R03" }]));
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
  });

  it.each([
    ["cannot be read", bytesOf("101 garbage in the first record\nthat ends here")],
    ["is of no known format", bytesOf("no file of ours")],
  ])("where no file since it was filed %s", async (_what, content) => {
    const one = openAch();
    const { key } = await sent(one);
    bank.put("returns.ach", content);
    now = day("2026-11-27T09:00");
    await one.dispatcher.run();
    await one.dispatcher.run();
    now = windowIsOver;
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ unread_file: 1, unmatched_return: 0, server: 0 });
    for (const { _id } of await open()) {
      await handle(_id, { resolution: BankFindingResolution.NOTHING_OF_OURS });
    }
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("settled");
  });

  it("where no file is too large to be fetched", async () => {
    const one = openAch();
    const { key } = await sent(one);
    now = windowIsOver;
    bank.put("huge.ach", new Uint8Array(64 * 2 ** 20 + 1));
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([{ kind: "unreadable", holds: true, file: "huge.ach" }]);
    expect(await kindOf(key)).toBe("accepted");
  });

  it("where a finding is older than the payment, or of another rail", async () => {
    const one = openAch();
    bank.put("returns.ach", bytesOf("no file of ours"));
    now = wednesday("08:00");
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toHaveLength(1);
    const { key } = await sent(one);
    await store.findings.insertOne({
      _id: "of another rail",
      schema_version: 1,
      rail: "bank-other",
      kind: "unreadable",
      what: "is none",
      holds: true,
      open: true,
      created_at: windowIsOver,
    });
    now = windowIsOver;
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("settled");
  });

  it("where no return has its trace number under another company", async () => {
    const one = openAch();
    const { key, bytes } = await sent(one);
    const other = await sent(one);
    const text = new TextDecoder().decode(achAnswers(bytes, [{ code: "R03" }]));
    bank.put("returns.ach", bytesOf(text.replaceAll("1234567890", "9999999999")));
    now = windowIsOver;
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([
      { kind: "unmatched", what: "another-entry", payout_id: key, holds: true },
    ]);
    // Another payment does not wait for it.
    expect(await kindOf(other.key)).toBe("settled");
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ unread_file: 0, unmatched_return: 1, server: 0 });
  });

  it("where no return leads to no payment", async () => {
    const one = openAch();
    const { key, bytes } = await sent(one);
    const text = new TextDecoder().decode(achAnswers(bytes, [{ code: "R03" }]));
    const { trace = "" } = (await store.payments.findOne({ _id: key })) ?? {};
    bank.put("returns.ach", bytesOf(text.replaceAll(trace, "121042889999999")));
    now = windowIsOver;
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([{ kind: "unmatched", what: "unknown", holds: true }]);
    expect(await kindOf(key)).toBe("accepted");
  });
});

describe("a finding that holds back silence", () => {
  /** A payment whose return came in a file that cannot be read. */
  async function unread() {
    const one = openAch();
    const { key, bytes } = await sent(one);
    const answer = achAnswers(bytes, [{ code: "R03" }]);
    bank.put("returns.ach", bytesOf("a letter from the bank"));
    now = day("2026-11-27T09:00");
    await one.dispatcher.run();
    await one.dispatcher.run();
    const [finding] = await open();
    if (finding === undefined) throw new Error("no finding");
    return { one, key, answer, finding };
  }

  it("needs two operators, and no plain note ends it", async () => {
    const { finding } = await unread();
    const guard = bankFilesGuards({ bank: store }).handleBankFinding;
    const asked = { person: "ada", roles: new Set(), operationId: "1" } as never;
    const request = (resolution: BankFindingResolution) =>
      ({ findingId: finding._id, resolution, content: new Uint8Array(), outcomes: [] }) as never;
    const difference = { before: "", after: "" };
    for (const resolution of [
      BankFindingResolution.NOTHING_OF_OURS,
      BankFindingResolution.READ_AGAIN,
      BankFindingResolution.OUTCOMES,
    ]) {
      expect(await guard?.reasons(request(resolution), asked, difference)).toHaveLength(1);
    }
    await expect(handle(finding._id, {})).rejects.toThrow(/resolution/);
    expect(await open()).toHaveLength(1);
  });

  it("ends when the file is read again with corrected content, kept beside the original", async () => {
    const { one, key, answer, finding } = await unread();
    const { READ_AGAIN: resolution } = BankFindingResolution;
    await handle(finding._id, { resolution, content: answer });
    const stored = await store.received.findOne({ _id: finding.received ?? "" });
    expect(stored).toMatchObject({ state: "stored", corrected_sha256: sha256Of(answer), reads: 1 });
    const original = await readContent(store, sealer, "bank-ach", stored?.sha256 ?? "");
    expect(new TextDecoder().decode(original)).toBe("a letter from the bank");
    const [entry] = await platform.resolving.audit.decisionsOf(finding._id, undefined, 10);
    expect(entry?.detail).toContain(`original ${stored?.sha256}`);
    expect(entry?.detail).toContain(`content ${sha256Of(answer)}`);
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
    expect(await open()).toEqual([]);
  });

  it("is found again where the file is read again and still cannot be", async () => {
    const { one, key, finding } = await unread();
    await handle(finding._id, { resolution: BankFindingResolution.READ_AGAIN });
    await one.dispatcher.run();
    const again = await open();
    expect(again).toHaveLength(1);
    expect(again[0]?._id).not.toBe(finding._id);
    now = windowIsOver;
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("accepted");
  });

  it("ends with the outcome of the payments that an operator names", async () => {
    const { key, finding } = await unread();
    const { OUTCOMES: resolution } = BankFindingResolution;
    const outcome = { payoutId: key, outcome: BankPaymentOutcome.RETURNED, reasonCode: "R03" };
    await handle(finding._id, { resolution, outcomes: [outcome] });
    expect((await openAch().rail.query(key)).status).toMatchObject({
      kind: "returned",
      failure: { code: "ACCOUNT_NOT_FOUND", railCode: "R03" },
    });
    expect(await open()).toEqual([]);
    expect(await store.findings.findOne({ _id: finding._id })).toMatchObject({
      handled: { how: "outcomes", person: "ada" },
    });
  });

  it.each([
    ["no outcomes", { resolution: BankFindingResolution.OUTCOMES }],
    [
      "a payment that is none",
      {
        resolution: BankFindingResolution.OUTCOMES,
        outcomes: [{ payoutId: "po_none", outcome: BankPaymentOutcome.RETURNED }],
      },
    ],
    ["content without reading", { content: bytesOf("x"), resolution: 3 }],
    [
      "outcomes without their resolution",
      { resolution: 3, outcomes: [{ payoutId: "po_1", outcome: 3 }] },
    ],
  ])("is not handled with %s", async (_what, changes) => {
    const { finding } = await unread();
    const refusal = await handle(finding._id, changes).then(
      () => "done",
      (error: unknown) => readRefusal(error)?.code,
    );
    expect(refusal).toBe("INVALID_REQUEST");
    expect(await open()).toHaveLength(1);
  });

  it("cannot unpay a payment that was settled", async () => {
    const { key, finding } = await unread();
    await store.payments.updateOne({ _id: key }, { $set: { state: "settled" } });
    const outcome = { payoutId: key, outcome: BankPaymentOutcome.NOT_EXECUTED };
    const { OUTCOMES: resolution } = BankFindingResolution;
    await expect(handle(finding._id, { resolution, outcomes: [outcome] })).rejects.toThrow(
      /contradicts/,
    );
  });
});

describe("a file that ends its reader", () => {
  it("is set aside after three attempts, and read again when operators say so", async () => {
    let isBroken = true;
    let attempts = 0;
    const { openHere } = await import("@disburse/bank-files/reading/opened-file.ts");
    const { key, bytes } = await sent(openAch());
    const one = testRail(testSettings("nacha"), {
      store,
      server: bank.server,
      now: () => now,
      open: (...given) => {
        attempts += 1;
        if (isBroken) throw new ReadingFailed("out of memory");
        return openHere(...given);
      },
    });
    bank.put("returns.ach", achAnswers(bytes, [{ code: "R03" }]));
    for (let minute = 0; minute < 8; minute += 1) {
      now = new Date(now.getTime() + 61_000);
      await one.dispatcher.run();
    }
    expect(attempts).toBe(3);
    expect(await store.received.find().toArray()).toMatchObject([{ state: "set_aside" }]);
    const [finding] = await open();
    expect(finding).toMatchObject({ kind: "set_aside", holds: true });
    isBroken = false;
    await handle(finding?._id ?? "", { resolution: BankFindingResolution.READ_AGAIN });
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
  });
});

describe("a rejection without proof", () => {
  const settings = (changes: object = {}) =>
    testSettings("iso20022", { unpaid_after_bank_days: 2, ...changes });
  const openIso = (changes: object = {}) =>
    testRail(settings(changes), { store, server: bank.server, now: () => now });

  /** A payment that its bank rejected as a duplicate. */
  async function rejected(changes: object = {}) {
    const one = openIso(changes);
    const key = freshKey();
    now = wednesday("12:00");
    await one.rail.submit(key, swiftTransfer);
    now = wednesday("15:46");
    await one.dispatcher.run();
    const [file] = bank.sent().slice(-1);
    const { statusReport } = answersOf(file?.bytes ?? new Uint8Array(), ["duplicate"], false);
    bank.put(`status-${key}.xml`, statusReport);
    await one.dispatcher.run();
    await one.dispatcher.run();
    return { one, key };
  }

  /** Days of statements, each from a balance to a balance. */
  async function statements(days: readonly (readonly [string, number, number])[]) {
    await store.balances.insertMany(
      days.map(([each, opening, closing]) => ({
        _id: `bank-usd ${each}`,
        schema_version: 1,
        rail: "bank-usd",
        day: each,
        currency: "USD",
        opening_minor: toDecimal128(BigInt(opening)),
        closing_minor: toDecimal128(BigInt(closing)),
        is_balanced: true,
        received: "x",
        at: now,
      })),
    );
  }

  const run = [
    ["2026-11-25", 100, 90],
    ["2026-11-27", 90, 90],
    ["2026-11-30", 90, 50],
  ] as const;
  const kind = async (key: string) => (await openIso().rail.query(key)).status.kind;

  it("is proven by an unbroken, balanced run of statements without a debit", async () => {
    const { one, key } = await rejected();
    expect(await kind(key)).toBe("unknown");
    now = day("2026-12-01T08:00");
    await statements(run.slice(0, 2));
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
    await statements(run.slice(2));
    bank.knobs.isAway = true;
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    expect(await kind(key)).toBe("unknown");
    bank.knobs.isAway = false;
    now = day("2026-12-01T09:00");
    await one.dispatcher.run();
    expect(await kind(key)).toBe("rejected");
  });

  it.each<[string, Parameters<typeof statements>[0], object]>([
    ["the profile names no days", run, { unpaid_after_bank_days: undefined }],
    ["a day is missing", [run[0], run[2]], {}],
    ["a day does not follow on the one before", [run[0], ["2026-11-27", 91, 90], run[2]], {}],
  ])("is not proven where %s", async (_what, days, changes) => {
    const { one, key } = await rejected(changes);
    now = day("2026-12-01T08:00");
    await statements(days);
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
  });

  it("is not proven where a day is not balanced, or a file was not read", async () => {
    const { one, key } = await rejected();
    now = day("2026-12-01T08:00");
    await statements(run);
    await store.balances.updateOne({ day: "2026-11-27" }, { $set: { is_balanced: false } });
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
    await store.balances.updateOne({ day: "2026-11-27" }, { $set: { is_balanced: true } });
    bank.put("other.xml", bytesOf("no file of ours"));
    await one.dispatcher.run();
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
  });
});
