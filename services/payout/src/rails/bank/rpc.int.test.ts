import { readContent } from "@disburse/bank-rail/contents.ts";
import { type BankStore, openBankStore } from "@disburse/bank-rail/documents.ts";
import { noteFindings } from "@disburse/bank-rail/incoming/findings.ts";
import { bankFilesGuards } from "@disburse/bank-rail/rpc.ts";
import {
  passSending,
  sealer,
  swiftTransfer,
  testRail,
  testSettings,
  wednesday,
} from "@disburse/bank-rail/test-rail.ts";
import { createTestServer } from "@disburse/bank-rail/test-server.ts";
import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Outcome } from "@disburse/bank-simulator/outcomes.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  BankFileDecision,
  BankFileState,
  BankFindingKind,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { freshKey } from "@disburse/rail/test-contract.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../../test-platform.ts";

let platform: TestPlatform;
let store: BankStore;
let now = wednesday("12:00");
let bank = createTestServer();

beforeAll(async () => {
  platform = await startTestPlatform();
  store = openBankStore(platform.database);
});
afterAll(() => platform.stop());
beforeEach(async () => {
  await Promise.all(Object.values(store).map((each) => each.deleteMany({})));
  bank = createTestServer();
  now = wednesday("12:00");
});

const rail = (changes: object = {}, server = bank.server, isPaused = false) =>
  testRail(testSettings("iso20022", changes), {
    ...{ store, server, now: () => now, isPaused: async () => isPaused },
  });

/** Creates a change by a person. The same operation id means the same change. */
function by(id: string, operationId = platform.operation().operationId) {
  return { mutation: { operationId, actor: { kind: Actor_Kind.OPERATOR, id } } };
}

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => "done",
    (error: unknown) => readRefusal(error)?.code,
  );

/** Creates a file of two payments whose process died at the rename. The bank has moved it. */
async function interrupted(): Promise<string> {
  for (const key of [freshKey(), freshKey()]) await rail().rail.submit(key, swiftTransfer);
  now = wednesday("15:46");
  const lost = bank.serverFor(async (act) => {
    if ((await store.files.findOne({ state: "sending" })) !== null) throw new Error("killed");
    return act();
  });
  await expect(rail({}, lost).dispatcher.run()).rejects.toThrow("killed");
  bank.lose();
  const file = await store.files.findOne({});
  expect(file?.state).toBe("sending");
  return file?._id ?? "";
}

/** Creates an interrupted file of which the bank doesn't say if it has it. */
async function undecided(): Promise<string> {
  const fileId = await interrupted();
  await passSending(store);
  await rail().dispatcher.run();
  expect(await stateOf(fileId)).toMatchObject({ state: "undecided" });
  return fileId;
}

const stateOf = (fileId: string) =>
  store.files.findOne({ _id: fileId }, { projection: { _id: 0, state: 1, sent_by: 1 } });

/** Makes the bank answer a file. By default it rejects the first payment with proof. */
async function answer(fileId: string, first: Outcome = "rejected"): Promise<void> {
  const file = await store.files.findOne({ _id: fileId });
  const bytes = await readContent(store, sealer, fileId, file?.sha256 ?? "");
  bank.put("status.xml", answersOf(bytes, [first, "waiting"], false).statusReport);
}

const statesOfPayments = async () =>
  (await store.payments.find().toArray()).map(({ state }) => state).toSorted();

describe("a file that the bank may or may not have", () => {
  const reason = "The bank's desk says so: ticket 4711.";

  it("is sent again when an operator declares that the bank does not have it", async () => {
    const fileId = await undecided();
    const [finding] = await store.findings.find().toArray();
    expect(finding).toMatchObject({
      kind: "undecided",
      what: "the file's place on the bank's server: absent",
    });
    const decision = BankFileDecision.SEND_AGAIN;
    const change = by("ada");
    const { file } = await platform.operatorRpc.resolveBankFile({
      ...{ ...change, fileId, decision, reason },
    });
    expect(file?.state).toBe(BankFileState.WRITTEN);
    expect(bank.sent()).toHaveLength(0);
    await rail().dispatcher.run();
    expect(bank.sent()).toHaveLength(1);
    // A repeated decision sends nothing again.
    await platform.operatorRpc.resolveBankFile({ ...change, fileId, decision, reason });
    await rail().dispatcher.run();
    expect(bank.sent()).toHaveLength(1);
    const [entry] = await platform.parts.audit.decisionsOf(fileId, undefined, 10);
    expect(entry).toMatchObject({
      ...{ action: "bank_file.resolved", person: "ada", detail: `send_again; ${reason}` },
    });
  });

  it("counts as sent when an operator declares that the bank has it", async () => {
    const fileId = await undecided();
    const decision = BankFileDecision.RECEIVED;
    const request = { fileId, decision, reason };
    await platform.operatorRpc.resolveBankFile({ ...by("ada"), ...request });
    await rail().dispatcher.run();
    expect(bank.sent()).toHaveLength(0);
    const { files } = await platform.operatorRpc.listBankFiles({ state: BankFileState.SENT });
    expect(files).toMatchObject([{ id: fileId, sentBy: "operator", payments: 2, refused: 0 }]);
    expect(await codeOf(platform.operatorRpc.resolveBankFile({ ...by("bob"), ...request }))).toBe(
      "INVALID_REQUEST",
    );
  });

  it.each([
    ["no reason", { reason: "too short" }, "INVALID_REQUEST"],
    ["is undecided", { decision: BankFileDecision.UNSPECIFIED }, "INVALID_REQUEST"],
    ["a file that is none", { fileId: "NONE" }, "RECORD_NOT_FOUND"],
  ])("is not decided with %s", async (_what, change, code) => {
    const fileId = await undecided();
    const request = { ...by("ada"), fileId, decision: BankFileDecision.RECEIVED, reason };
    expect(await codeOf(platform.operatorRpc.resolveBankFile({ ...request, ...change }))).toBe(
      code,
    );
  });

  it("needs a second person, who reads what would happen", async () => {
    const fileId = await undecided();
    const { resolveBankFile: guard } = bankFilesGuards({ bank: store });
    const request = { fileId, decision: BankFileDecision.SEND_AGAIN } as Parameters<
      NonNullable<typeof guard>["difference"]
    >[0];
    const difference = await guard?.difference(request);
    expect(JSON.parse(difference?.before ?? "")).toMatchObject({ state: "undecided", payments: 2 });
    expect(difference?.after).toBe('{"decision":"send_again"}');
    const asked = { person: "ada", roles: new Set<never>(), operationId: "1" };
    const reasons = (of: typeof request) => guard?.reasons(of, asked, { before: "", after: "" });
    expect(await reasons(request)).toEqual([
      "the request decides whether the bank received a file",
    ]);
    expect(await reasons({ ...request, fileId: "NONE" })).toEqual([]);
  });
});

describe("a file that the bank has answered", () => {
  const sendAgain = (fileId: string) => {
    const reason = "The bank's desk says so: ticket 4711.";
    const request = { ...by("ada"), fileId, decision: BankFileDecision.SEND_AGAIN, reason };
    return codeOf(platform.operatorRpc.resolveBankFile(request));
  };
  const run = async (one: ReturnType<typeof rail>, times = 3) => {
    for (let each = 0; each < times; each += 1) await one.dispatcher.run();
  };

  it("counts as sent, and is not sent again, though its outcome was undecided", async () => {
    const fileId = await undecided();
    await answer(fileId);
    await run(rail());
    expect(await statesOfPayments()).toEqual(["filed", "rejected"]);
    expect(await stateOf(fileId)).toEqual({ state: "sent", sent_by: "answer" });
    expect(await sendAgain(fileId)).toBe("INVALID_REQUEST");
    await run(rail());
    expect(bank.sent()).toEqual([]);
  });

  it("is not sent again to a bank that refuses duplicates", async () => {
    const fileId = await interrupted();
    await answer(fileId);
    await run(rail({ refuses_duplicates: true }));
    expect(await statesOfPayments()).toEqual(["filed", "rejected"]);
    await passSending(store);
    await run(rail({ refuses_duplicates: true }));
    expect(bank.sent()).toEqual([]);
    expect(await stateOf(fileId)).toEqual({ state: "sent", sent_by: "answer" });
  });

  it("counts as sent by an answer that changes no payment", async () => {
    const fileId = await undecided();
    await answer(fileId, "waiting");
    await run(rail());
    expect(await statesOfPayments()).toEqual(["filed", "filed"]);
    expect(await stateOf(fileId)).toEqual({ state: "sent", sent_by: "answer" });
  });

  it("is not sent by a process that was about to send it again", async () => {
    const fileId = await undecided();
    expect(await sendAgain(fileId)).toBe("done");
    await answer(fileId);
    let uploads = 0;
    const slow = bank.serverFor(async (act) => {
      const done = await act();
      uploads += 1;
      // Another process applies the answer after the upload and before the rename. It sends nothing.
      await run(rail({}, bank.server, true));
      return done;
    });
    await run(rail({}, slow), 1);
    expect(uploads).toBeGreaterThan(0);
    expect(bank.sent()).toEqual([]);
    expect(await stateOf(fileId)).toEqual({ state: "sent", sent_by: "answer" });
  });

  it("is never sent while one of its payments has another state than filed", async () => {
    const fileId = await undecided();
    expect(await sendAgain(fileId)).toBe("done");
    // As if a fault had changed the payment, but not its file.
    const one = await store.payments.findOne({});
    await store.payments.updateOne({ _id: one?._id ?? "" }, { $set: { state: "rejected" } });
    await run(rail());
    expect(bank.sent()).toEqual([]);
    expect(await stateOf(fileId)).toMatchObject({ state: "undecided" });
    expect(await sendAgain(fileId)).toBe("INVALID_REQUEST");
    const what = "the bank has answered a payment of the file";
    expect(await store.findings.countDocuments({ kind: "undecided", what, open: true })).toBe(1);
  });
});

describe("findings for operators", () => {
  const note = "Fee of the bank, booked by treasury.";
  const found = (place: string) => ({ kind: "unmatched", what: "unknown", place }) as const;
  const work = () => ({ rail: "bank-usd", store, sealer, clock: { now: () => now } });

  it("is listed while it is open, newest first, in pages", async () => {
    for (const minute of ["12:00", "12:01", "12:02"]) {
      now = wednesday(minute);
      const each = { ...found(minute), amount: "-12.50 USD" };
      await noteFindings(work(), { file: "F", name: "statement.xml" }, [each, each]);
    }
    const first = await platform.operatorRpc.listBankFindings({ limit: 2 });
    expect(first.findings).toMatchObject([
      { place: "12:02", kind: BankFindingKind.UNMATCHED, amount: "-12.50 USD" },
      { place: "12:01", file: "statement.xml", payoutId: "", note: "" },
    ]);
    const { findings } = await platform.operatorRpc.listBankFindings({
      ...{ limit: 2, cursor: first.nextCursor },
    });
    expect(findings.map(({ place }) => place)).toEqual(["12:00"]);
    const other = await platform.operatorRpc.listBankFindings({ rail: "another" });
    expect(other.findings).toEqual([]);
  });

  it("is handled once, with a note, and stays readable", async () => {
    await noteFindings(work(), { file: "F", name: "s.xml" }, [found("1")]);
    const [open] = (await platform.operatorRpc.listBankFindings({})).findings;
    const findingId = open?.id ?? "";
    const change = by("ada");
    const { finding } = await platform.operatorRpc.handleBankFinding({
      ...{ ...change, findingId, note },
    });
    expect(finding).toMatchObject({ note, handledBy: { id: "ada" } });
    const again = await platform.operatorRpc.handleBankFinding({ ...change, findingId, note });
    expect(again.finding).toEqual(finding);
    const other = platform.operatorRpc.handleBankFinding({ ...by("bob"), findingId, note });
    expect(await codeOf(other)).toBe("INVALID_REQUEST");
    expect((await platform.operatorRpc.listBankFindings({})).findings).toEqual([]);
    const all = await platform.operatorRpc.listBankFindings({ handled: true });
    expect(all.findings.map(({ id }) => id)).toEqual([findingId]);
    // A finding that is found again stays handled.
    await noteFindings(work(), { file: "F", name: "s.xml" }, [found("1")]);
    expect((await platform.operatorRpc.listBankFindings({})).findings).toEqual([]);
  });

  it("is read with its details by itself alone, and only where it is there", async () => {
    const details = '{"account":"1918171614"}';
    const change = { kind: "change", what: "C01: other account", details } as const;
    await noteFindings(work(), { file: "F", name: "r.ach" }, [change]);
    const [listed] = (await platform.operatorRpc.listBankFindings({})).findings;
    const read = await platform.operatorRpc.getBankFinding({ findingId: listed?.id ?? "" });
    expect(read).toMatchObject({ details, finding: { what: "C01: other account" } });
    const none = platform.operatorRpc.getBankFinding({ findingId: "none" });
    expect(await codeOf(none)).toBe("RECORD_NOT_FOUND");
  });
});
