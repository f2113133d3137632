import { openHere, ReadingFailed } from "@disburse/bank-files/reading/opened-file.ts";
import { readContent, sha256Of } from "@disburse/bank-rail/contents.ts";
import { achAnswers } from "@disburse/bank-rail/nacha/test-bank.ts";
import { bankFilesGuards } from "@disburse/bank-rail/rpc.ts";
import { sealer, testRail, testSettings } from "@disburse/bank-rail/test-rail.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  BankFindingResolution,
  BankPaymentOutcome,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../../test-platform.ts";
import { BankBench, bytesOf, newYork } from "./test-bench.ts";

let platform: TestPlatform;
let bench: BankBench;

beforeAll(async () => {
  platform = await startTestPlatform();
  bench = new BankBench(platform);
});
afterAll(() => platform.stop());
beforeEach(() => bench.begin());

const kindOf = async (key: string) => (await bench.openAch().rail.query(key)).status.kind;

describe("a finding that holds back silence", () => {
  /** Creates a payment whose return arrives in an unreadable file. */
  async function unread() {
    const { one, key, bytes } = await bench.sentByAch();
    const answer = achAnswers(bytes, [{ code: "R03" }]);
    bench.now = newYork("2026-11-27T09:00");
    await bench.take(one, "returns.ach", "a letter from the bank");
    const [finding] = await bench.findings();
    if (finding === undefined) throw new Error("no finding");
    return { one, key, answer, finding };
  }

  it("needs two operators, and no plain note ends it", async () => {
    const { finding } = await unread();
    const guard = bankFilesGuards({ bank: bench.store }).handleBankFinding;
    const asked = { person: "ada", roles: new Set(), operationId: "1" } as never;
    const request = (resolution: BankFindingResolution, content = new Uint8Array()) =>
      ({ findingId: finding._id, resolution, content, outcomes: [] }) as never;
    const difference = { before: "", after: "" };
    for (const resolution of [
      BankFindingResolution.NOTHING_OF_OURS,
      BankFindingResolution.READ_AGAIN,
      BankFindingResolution.OUTCOMES,
    ]) {
      expect(await guard?.reasons(request(resolution), asked, difference)).toHaveLength(1);
    }
    const { READ_AGAIN } = BankFindingResolution;
    await bench.store.findings.updateOne({ _id: finding._id }, { $unset: { holds: "" } });
    expect(await guard?.reasons(request(READ_AGAIN), asked, difference)).toEqual([]);
    expect(await guard?.reasons(request(READ_AGAIN, bytesOf("x")), asked, difference)).toEqual([
      "the request replaces the content of a bank's file",
    ]);
    await bench.store.findings.updateOne({ _id: finding._id }, { $set: { holds: true } });
    await expect(bench.handle(finding._id, {})).rejects.toThrow(/resolution/);
    expect(await bench.findings()).toHaveLength(1);
  });

  it("needs two operators where another finding of its file is handled", async () => {
    const { finding } = await unread();
    const other = { ...finding, _id: "of the same file", kind: "unread" as const, holds: false };
    await bench.store.findings.insertOne(other);
    const guard = bankFilesGuards({ bank: bench.store }).handleBankFinding;
    const asked = { person: "ada", roles: new Set(), operationId: "1" } as never;
    const reasons = (resolution: BankFindingResolution) => {
      const request = { findingId: other._id, resolution, content: new Uint8Array(), outcomes: [] };
      return guard?.reasons(request as never, asked, { before: "", after: "" });
    };
    expect(await reasons(BankFindingResolution.READ_AGAIN)).toHaveLength(1);
    expect(await reasons(BankFindingResolution.NOTHING_OF_OURS)).toEqual([]);
    await bench.store.findings.updateOne({ _id: finding._id }, { $unset: { open: "" } });
    expect(await reasons(BankFindingResolution.READ_AGAIN)).toEqual([]);
  });

  it("ends when the file is read again with corrected content, kept beside the original", async () => {
    const { one, key, answer, finding } = await unread();
    const { READ_AGAIN: resolution } = BankFindingResolution;
    await bench.handle(finding._id, { resolution, content: answer });
    const stored = await bench.store.received.findOne({ _id: finding.received ?? "" });
    expect(stored).toMatchObject({ state: "stored", corrected_sha256: sha256Of(answer), reads: 1 });
    const original = await readContent(bench.store, sealer, "bank-ach", stored?.sha256 ?? "");
    expect(new TextDecoder().decode(original)).toBe("a letter from the bank");
    const [entry] = await platform.parts.audit.decisionsOf(finding._id, undefined, 10);
    expect(entry?.detail).toContain(`original ${stored?.sha256}`);
    expect(entry?.detail).toContain(`content ${sha256Of(answer)}`);
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
    expect(await bench.findings()).toEqual([]);
  });

  it("of a later reading stays where an operation that read the file again is repeated", async () => {
    const { one, key, finding } = await unread();
    const { operationId } = platform.operation();
    const again = { resolution: BankFindingResolution.READ_AGAIN };
    await bench.handle(finding._id, again, operationId);
    await one.dispatcher.run();
    // The process that handled it died before it ended the finding.
    await bench.store.findings.updateOne(
      { _id: finding._id },
      { $set: { open: true }, $unset: { handled: "" } },
    );
    await bench.handle(finding._id, again, operationId);
    const open = await bench.findings();
    expect(open).toHaveLength(1);
    expect(open[0]?._id).not.toBe(finding._id);
    bench.now = newYork("2026-12-01T09:00");
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("accepted");
    expect(await bench.store.received.findOne({})).toMatchObject({ reads: 1 });
  });

  it("reads a file again that is still being read", async () => {
    const { key, bytes } = await bench.sentByAch();
    let isFirst = true;
    const one = bench.openAch({
      open: async (...given) => {
        const opened = await openHere(...given);
        const [finding] = await bench.findings();
        if (!isFirst || finding === undefined) return opened;
        isFirst = false;
        const { READ_AGAIN: resolution } = BankFindingResolution;
        const content = achAnswers(bytes, [{ code: "R03" }]);
        await bench.handle(finding._id, { resolution, content });
        return opened;
      },
    });
    await bench.take(one, "returns.ach", "a letter from the bank");
    // The process that read it died before it stored that.
    await bench.store.received.updateOne({}, { $set: { state: "stored", open: "bank-ach" } });
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
  });

  it("is found again where the file is read again and still cannot be", async () => {
    const { one, key, finding } = await unread();
    await bench.handle(finding._id, { resolution: BankFindingResolution.READ_AGAIN });
    await one.dispatcher.run();
    const again = await bench.findings();
    expect(again).toHaveLength(1);
    expect(again[0]?._id).not.toBe(finding._id);
    bench.now = newYork("2026-12-01T09:00");
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("accepted");
  });

  const { OUTCOMES } = BankFindingResolution;
  const returned = (payoutId: string) => ({
    ...{ payoutId, outcome: BankPaymentOutcome.RETURNED, reasonCode: "R03" },
  });

  it("stays after the outcome of a payment that it does not name: the file may name others", async () => {
    const { key, finding } = await unread();
    const { operationId } = platform.operation();
    const outcomes = { resolution: OUTCOMES, outcomes: [returned(key)] };
    await bench.handle(finding._id, outcomes, operationId);
    expect((await bench.openAch().rail.query(key)).status).toMatchObject({
      kind: "returned",
      failure: { code: "ACCOUNT_NOT_FOUND", railCode: "R03" },
    });
    expect(await bench.findings()).toHaveLength(1);
    // A repeated operation returns the first response, whatever the payment's present state.
    await bench.store.payments.updateOne({ _id: key }, { $set: { state: "rejected" } });
    await bench.handle(finding._id, outcomes, operationId);
    expect(await bench.findings()).toHaveLength(1);
    await bench.handle(finding._id, { resolution: BankFindingResolution.NOTHING_OF_OURS });
    expect(await bench.findings()).toEqual([]);
  });

  it("ends with the outcome of the payment that it names, and of no other", async () => {
    const { one, key, bytes } = await bench.sentByAch();
    const { key: other } = await bench.sentByAch();
    const text = new TextDecoder().decode(achAnswers(bytes, [{ code: "R03" }]));
    await bench.take(one, "returns.ach", text.replaceAll("1234567890", "9999999999"));
    const [finding] = await bench.findings();
    expect(finding).toMatchObject({ what: "another-entry", payout_id: key });
    const handle = (...outcomes: object[]) =>
      bench.handle(finding?._id ?? "", { resolution: OUTCOMES, outcomes });
    await expect(handle(returned(other))).rejects.toThrow(/outcomes: must name the finding's/);
    expect(await kindOf(other)).toBe("accepted");
    await handle(returned(key), returned(other));
    expect([await kindOf(key), await kindOf(other)]).toEqual(["returned", "returned"]);
    expect(await bench.findings()).toEqual([]);
    expect(await bench.store.findings.findOne({ _id: finding?._id ?? "" })).toMatchObject({
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
    const refusal = await bench.handle(finding._id, changes).then(
      () => "done",
      (error: unknown) => readRefusal(error)?.code,
    );
    expect(refusal).toBe("INVALID_REQUEST");
    expect(await bench.findings()).toHaveLength(1);
  });

  it("cannot change the amount that a payment returned with", async () => {
    const { key, finding } = await unread();
    const handle = (returnedAmount: string) => {
      const outcome = { payoutId: key, outcome: BankPaymentOutcome.RETURNED, returnedAmount };
      return bench.handle(finding._id, { resolution: OUTCOMES, outcomes: [outcome] });
    };
    await handle("1.00");
    await handle("1.00");
    await expect(handle("2.00")).rejects.toThrow(/contradicts/);
    await expect(handle("")).rejects.toThrow(/contradicts/);
  });

  it.each(["written", "sending", "undecided"] as const)(
    "cannot decide a payment whose file is %s: the file may still be sent",
    async (state) => {
      const { key, finding } = await unread();
      await bench.store.files.updateMany({}, { $set: { state, open: "bank-ach" } });
      const outcome = { payoutId: key, outcome: BankPaymentOutcome.NOT_EXECUTED };
      await expect(
        bench.handle(finding._id, { resolution: OUTCOMES, outcomes: [outcome] }),
      ).rejects.toThrow(/payout_id: must be in a file that this rail sent/);
      expect(await kindOf(key)).toBe("accepted");
    },
  );

  it("cannot unpay a payment that was settled", async () => {
    const { key, finding } = await unread();
    await bench.store.payments.updateOne({ _id: key }, { $set: { state: "settled" } });
    const outcome = { payoutId: key, outcome: BankPaymentOutcome.NOT_EXECUTED };
    await expect(
      bench.handle(finding._id, { resolution: OUTCOMES, outcomes: [outcome] }),
    ).rejects.toThrow(/contradicts/);
  });
});

describe("a file that ends its reader", () => {
  it("stays counted where the database fails as it is set aside", async () => {
    const open = () => {
      throw new ReadingFailed("out of memory");
    };
    const one = bench.openAch({ open });
    bench.bank.put("returns.ach", bytesOf("101"));
    const attempts = async () => (await bench.store.received.findOne({}))?.attempts;
    const wait = () => {
      bench.now = new Date(bench.now.getTime() + 61_000);
    };
    for (let minute = 0; minute < 4; minute += 1) {
      wait();
      await one.dispatcher.run();
    }
    expect(await attempts()).toBe(3);
    const away = () => Promise.reject(new Error("the database is away"));
    const findings = intercepted(bench.store.findings, ["insertMany"], away);
    const failing = testRail(testSettings("nacha"), {
      ...{ store: { ...bench.store, findings }, server: bench.bank.server, now: () => bench.now },
      open,
    });
    wait();
    await failing.dispatcher.run();
    expect(await attempts()).toBe(3);
  });

  it("is set aside after three attempts, and read again when operators request it", async () => {
    let isBroken = true;
    let attempts = 0;
    const { key, bytes } = await bench.sentByAch();
    const one = bench.openAch({
      open: (...given) => {
        attempts += 1;
        if (isBroken) throw new ReadingFailed("out of memory");
        return openHere(...given);
      },
    });
    bench.bank.put("returns.ach", achAnswers(bytes, [{ code: "R03" }]));
    for (let minute = 0; minute < 8; minute += 1) {
      bench.now = new Date(bench.now.getTime() + 61_000);
      await one.dispatcher.run();
    }
    expect(attempts).toBe(3);
    expect(await bench.store.received.find().toArray()).toMatchObject([{ state: "set_aside" }]);
    const [finding] = await bench.findings();
    expect(finding).toMatchObject({ kind: "set_aside", holds: true });
    isBroken = false;
    await bench.handle(finding?._id ?? "", { resolution: BankFindingResolution.READ_AGAIN });
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
  });
});
