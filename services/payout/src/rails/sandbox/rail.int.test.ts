import { createHmac } from "node:crypto";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { freshKey, instruction, keepsRailContract } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../migrations.ts";
import { signMessage } from "./callbacks.ts";
import { createSandboxRail, type SandboxRail, type SandboxRailOptions } from "./rail.ts";
import { batchMs, lateReturnMs, type Scenario } from "./scenarios.ts";

const settleMs = 1_000;
const callbackSecret = "a secret";
let database: Database;
const pending = createWake();
let rail: SandboxRail;
let receive: SandboxRailOptions["receive"];
let now = new Date("2026-01-01T00:00:00Z");

beforeAll(async () => {
  database = await migratedDatabase("rail", migrations);
  rail = createSandboxRail({
    database,
    clock: { now: () => now },
    behaviour: { settleMs, delay: "fixed", seed: 1, shares: {} },
    callbackSecret,
    pending,
    receive: (message) => receive(message),
  });
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const after = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

describe("the sandbox's rail", () => {
  keepsRailContract(() => ({
    rail,
    settle: async () => after(settleMs),
    paid: (key) =>
      database.db
        .collection<{ _id: string }>("sandbox_transfers")
        .countDocuments({ _id: key, withdrawn_at: { $exists: false } }),
    signed: (key) => signMessage(messageOf(key), callbackSecret),
  }));

  it.each([
    ["that waits for its batch", "sandbox-batch", batchMs - 1, "rejected"],
    ["whose batch has left", "sandbox-batch", batchMs, "settled"],
    ["that is on its way", "order-1", 0, "settled"],
    ["that is settled", "order-1", settleMs, "settled"],
    ["that is not known yet", "sandbox-unknown", 0, "unknown"],
    ["that is never paid", "sandbox-silent", 0, "unknown"],
  ])("takes back a transfer %s, or not: %s after %i ms, %s", async (...row) => {
    const [, referenceId, ms, end] = row;
    const isTaken = end !== "settled";
    const key = freshKey();
    await rail.submit(key, { ...instruction, referenceId });
    after(ms);
    expect(await rail.withdraw?.(key)).toBe(isTaken);
    after(batchMs + settleMs);
    expect(await rail.withdraw?.(key)).toBe(isTaken);
    const { status } = await rail.query(key);
    expect(status.kind).toBe(end);
  });

  it("notifies about due callbacks: of a transfer and of a steered one", async () => {
    pending.take();
    const key = freshKey();
    await rail.submit(key, instruction);
    expect(pending.take()).toBe(true);
    await rail.steer(key, { kind: "unknown" }, instruction);
    expect(pending.take()).toBe(true);
  });

  it.each([
    ["SWIFT", {}, true],
    ["SWIFT", { city: "" }, false],
    ["SWIFT", { countryCode: "" }, false],
    ["SWIFT", { street: "", postcode: "", state: "" }, true],
    ["ACH", { city: "", countryCode: "" }, true],
  ])("pays by %s to an address with %j: %s", async (transferMethod, change, isPaid) => {
    const key = freshKey();
    const address = { ...instruction.address, ...change };
    await rail.submit(key, { ...instruction, transferMethod, address });
    after(settleMs);
    const failure = { code: "INVALID_ADDRESS", railCode: "BE04" };
    const rejected = { kind: "rejected", failure };
    const { status } = await rail.query(key);
    expect(status).toMatchObject(isPaid ? { kind: "settled" } : rejected);
  });

  it("withdraws or sends a batch, never both", async () => {
    for (let at = 0; at < 20; at += 1) {
      const key = freshKey();
      const transfer = { ...instruction, referenceId: "sandbox-batch" };
      const [isTaken] = await Promise.all([rail.withdraw?.(key), rail.submit(key, transfer)]);
      after(batchMs + settleMs);
      expect((await rail.query(key)).status.kind).toBe(isTaken === true ? "rejected" : "settled");
    }
  });

  it("signs with HMAC-SHA256 over the very bytes", () => {
    const { body, signature } = signMessage(messageOf("po_1"), callbackSecret);
    const mac = createHmac("sha256", callbackSecret).update(body).digest("hex");
    expect(signature).toBe(`sha256=${mac}`);
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["no outcome", JSON.stringify({ ...messageOf("po_1"), outcome: "maybe" })],
    ["an amount that is a number", JSON.stringify({ ...messageOf("po_1"), amount: 10 })],
    ["a reference of two lines", JSON.stringify({ ...messageOf("po_1"), reference: "a\nb" })],
    ["no key", JSON.stringify({ ...messageOf(""), key: undefined })],
  ])("reports its own message of %s as unreadable", (_what, text) => {
    const body = new TextEncoder().encode(text);
    const mac = createHmac("sha256", callbackSecret).update(body).digest("hex");
    expect(rail.readCallback(body, `sha256=${mac}`)).toBe("unreadable");
  });

  it("sends a message again until it is accepted, and then no more", async () => {
    const key = freshKey();
    await rail.submit(key, { ...instruction, referenceId: "sandbox-callback" });
    const sent: string[] = [];
    receive = async ({ body }) => {
      sent.push(new TextDecoder().decode(body));
      if (sent.length === 1) throw new Error("nobody there");
    };
    await rail.sendDue();
    expect(sent).toEqual([]);
    after(settleMs);
    await expect(rail.sendDue()).rejects.toThrow("nobody there");
    await rail.sendDue();
    await rail.sendDue();
    expect(sent).toHaveLength(2);
    expect(sent[1]).toBe(sent[0]);
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({ key, amount: "10.00", currency: "USD" });
  });
});

/** Shortens a reply: its kind, the presence of a reference, and the time of the next poll. */
function replyText({ status, pollAfterMs }: RailReply): string {
  const reference = "reference" in status && status.reference !== "" ? " R" : "";
  return `${status.kind}${reference}${pollAfterMs === undefined ? "" : ` ${pollAfterMs}`}`;
}

describe("a transfer", () => {
  const ofScenario = (scenario: Scenario) => ({
    ...instruction,
    referenceId: `sandbox-${scenario}-1`,
  });

  it.each<[Scenario, string[]]>([
    ["settle", ["accepted 1000", "accepted 600", "settled R", "settled R", "settled R"]],
    ["fail", ["accepted 1000", "accepted 600", "rejected", "rejected", "rejected"]],
    ["return", ["accepted 1000", "accepted 600", "settled R 1000", "settled R 600", "returned R"]],
    ["unknown", ["unknown 1000", "unknown 1000", "settled R", "settled R", "settled R"]],
    [
      "late-return",
      [
        ...["accepted 1000", "accepted 600", `settled R ${lateReturnMs}`],
        ...[`settled R ${lateReturnMs - 400}`, `settled R ${lateReturnMs - 1_000}`],
      ],
    ],
    ["callback", ["accepted", "accepted", "settled R", "settled R", "settled R"]],
    ["duplicate", ["accepted", "accepted", "settled R", "settled R", "settled R"]],
    ["contradict", ["accepted", "accepted", "settled R", "settled R", "settled R"]],
    ["early", ["settled R", "settled R", "settled R", "settled R", "settled R"]],
    ["amount", ["accepted 1000", "accepted 600", "settled R", "settled R", "settled R"]],
    ["silent", ["unknown", "unknown", "unknown", "unknown", "unknown"]],
  ])("of %s: the replies when it is sent, and after 0.4, 1, 1.4 and 2 s", async (name, replies) => {
    const key = freshKey();
    receive = async () => undefined;
    const heard = [replyText(await rail.submit(key, ofScenario(name)))];
    for (const ms of [400, 600, 400, 600]) {
      after(ms);
      heard.push(replyText(await rail.query(key)));
    }
    expect(heard).toEqual(replies);
  });

  it("whose answer is lost is there, and is answered when it is sent again", async () => {
    const key = freshKey();
    const sending = rail.submit(key, ofScenario("lost"));
    await expect(sending).rejects.toThrow("the sandbox rail simulates a lost response");
    expect(replyText(await rail.query(key))).toBe("accepted 1000");
    expect(replyText(await rail.submit(key, ofScenario("lost")))).toBe("accepted 1000");
  });

  it.each<[Scenario, string[]]>([
    ["settle", []],
    ["callback", ["1 s: settled 10.00 USD"]],
    ["duplicate", Array.from({ length: 3 }, () => "1 s: settled 10.00 USD")],
    ["early", ["0 s: settled 10.00 USD"]],
    ["contradict", ["1 s: settled 10.00 USD", "2 s: rejected 10.00 USD"]],
    ["amount", ["1 s: settled 10.01 USD"]],
    ["late-return", ["259201 s: returned 10.00 USD"]],
  ])("of %s: the messages that the rail sends by itself", async (name, messages) => {
    while (await rail.sendDue());
    const [key, start] = [freshKey(), now];
    const sent: string[] = [];
    receive = async ({ body, signature }) => {
      const read = rail.readCallback(body, signature);
      if (typeof read === "string" || read.key !== key) return;
      const { amount, currency } = read.transferred ?? {};
      const at = `${(now.getTime() - start.getTime()) / 1_000} s`;
      sent.push(`${at}: ${read.status.kind} ${amount} ${currency}`);
    };
    await rail.submit(key, ofScenario(name));
    for (const ms of [0, 999, 1, 999, 1, lateReturnMs - 1_001, 1, 1]) {
      after(ms);
      await rail.sendDue();
    }
    expect(sent).toEqual(messages);
  });

  it("is stored once, with the messages that the rail has not sent yet", async () => {
    while (await rail.sendDue());
    receive = async () => undefined;
    const key = freshKey();
    const at = (ms: number) => new Date(submittedAt.getTime() + ms);
    const submittedAt = now;
    const stored = () =>
      database.db.collection<{ _id: string }>("sandbox_transfers").findOne({ _id: key });
    const reference = expect.stringMatching(/^SBX\d{12}$/);
    const message = { ...messageOf(key), reference };
    const settlement = { at: at(1_000), message };
    const rejection = { at: at(2_000), message: { ...message, outcome: "rejected" } };
    const transfer = {
      ...{ _id: key, schema_version: 1, scenario: "contradict", reference },
      ...{ settles_at: at(1_000), returns_at: at(2_000), asked: 0, submitted: 1 },
    };
    await rail.submit(key, ofScenario("contradict"));
    const pending = [settlement, rejection];
    expect(await stored()).toEqual({ ...transfer, pending, pending_at: at(1_000) });
    after(1_000);
    await rail.submit(key, ofScenario("settle"));
    await rail.sendDue();
    const again = { ...transfer, submitted: 2 };
    expect(await stored()).toEqual({ ...again, pending: [rejection], pending_at: at(2_000) });
    after(1_000);
    await rail.sendDue();
    expect(await stored()).toEqual({ ...again, pending: [] });
  });

  it("waits for a second run of messages behind fifty others", async () => {
    while (await rail.sendDue());
    const keys = Array.from({ length: 51 }, freshKey);
    await Promise.all(keys.map((key) => rail.submit(key, ofScenario("callback"))));
    after(1_000);
    expect([await rail.sendDue(), await rail.sendDue()]).toEqual([true, false]);
  });
});

describe("the rail's own message", () => {
  const signed = (body: Uint8Array) => {
    const mac = createHmac("sha256", callbackSecret).update(body).digest("hex");
    return rail.readCallback(body, `sha256=${mac}`);
  };

  it.each([
    ["settled", { kind: "settled", reference: "R1" }],
    ["returned", { kind: "returned", reference: "R1" }],
    ["rejected", { kind: "rejected" }],
  ] as const)("of one that was %s is read with its amount", (outcome, status) => {
    const { body, signature } = signMessage({ ...messageOf("po_1"), outcome }, callbackSecret);
    const transferred = { amount: "10.00", currency: "USD" };
    expect(rail.readCallback(body, signature)).toEqual({ key: "po_1", status, transferred });
  });

  it("in another encoding than UTF-8 is unreadable", () => {
    const text = JSON.stringify({ ...messageOf("po_1"), currency: "\u00e9" });
    expect(signed(new TextEncoder().encode(text))).toMatchObject({ key: "po_1" });
    expect(signed(Buffer.from(text, "latin1"))).toBe("unreadable");
  });
});

function messageOf(key: string) {
  return { key, outcome: "settled", reference: "R1", amount: "10.00", currency: "USD" } as const;
}
