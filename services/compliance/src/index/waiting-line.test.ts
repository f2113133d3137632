import { Code } from "@connectrpc/connect";
import { expect, it } from "vitest";
import type { ScreeningUnit } from "../screening/rules/screening.ts";
import { personParty } from "../test-lists.ts";
import { openWaitingLine } from "./waiting-line.ts";

const unavailable = expect.objectContaining({ code: Code.Unavailable });

/** A line before a thread. A test sets the cost of each result. */
function startLine() {
  const posted: ScreeningUnit[] = [];
  const line = openWaitingLine((unit) => void posted.push(unit));
  return {
    line,
    posted,
    /** The names that the thread was given, in their order. */
    names: () => posted.map(({ of }) => ("name" in of ? of.name : of.address)),
    respond: (spentMs: number) => line.take({ hits: { compared: [], unreadable: [] }, spentMs }),
  };
}

const namesOf = (merchant: string, count: number) => ({
  parties: Array.from({ length: count }, (_, at) => personParty(`${merchant} ${at}`)),
  wallets: [],
});

it("gives the thread a few names at a time, fewer where they cost much", async () => {
  const { line, posted, respond } = startLine();
  const found = line.screen(namesOf("mer_1", 50), { merchantId: "mer_1" });
  expect(posted).toHaveLength(10);
  for (let n = 0; n < 20; n += 1) respond(9);
  expect(posted).toHaveLength(22);
  for (let n = 20; n < 50; n += 1) respond(0.2);
  expect(posted).toHaveLength(50);
  expect(await found).toEqual({ verdict: "clear", hits: [] });
  expect(line.isIdle()).toBe(true);
});

it("makes a merchant wait for units in the thread, but not for another merchant's queue", () => {
  const { line, names, respond } = startLine();
  for (let n = 0; n < 20; n += 1) {
    void line.screen(namesOf("mer_much", 21), { merchantId: "mer_much" });
  }
  for (let n = 0; n < 21; n += 1) respond(9);
  const before = names().length;
  void line.screen(namesOf("mer_other", 1), { merchantId: "mer_other" });
  respond(9);
  expect(names().slice(before)).toEqual(["mer_other 0"]);
});

it("refuses requests beyond a merchant's limit, and accepts those of others", async () => {
  const { line } = startLine();
  for (let n = 0; n < 10; n += 1) {
    void line.screen(namesOf("mer_much", 50), { merchantId: "mer_much" });
  }
  const more = line.screen(namesOf("mer_much", 50), { merchantId: "mer_much" });
  await expect(more).rejects.toEqual(unavailable);
  const other = line.screen(namesOf("mer_other", 50), { merchantId: "mer_other" });
  const left = Promise.race([other, Promise.resolve("waits")]);
  expect(await left).toBe("waits");
});

it("drops the names for which no caller waits any longer", async () => {
  const { line, posted, respond } = startLine();
  const caller = new AbortController();
  const waiter = { merchantId: "mer_1", signal: caller.signal };
  const gone = line.screen(namesOf("mer_1", 50), waiter);
  caller.abort();
  await expect(gone).rejects.toEqual(unavailable);
  await expect(line.screen(namesOf("mer_1", 1), waiter)).rejects.toEqual(unavailable);
  const inThread = posted.length;
  expect(inThread).toBe(10);
  for (let n = 0; n < inThread; n += 1) respond(1);
  expect(posted).toHaveLength(inThread);
  expect(line.isIdle()).toBe(true);
});

it("rejects a request with the error of one of its names, and continues", async () => {
  const { line, posted, respond } = startLine();
  const broken = line.screen(namesOf("mer_1", 12), { merchantId: "mer_1" });
  const whole = line.screen(namesOf("mer_2", 1), { merchantId: "mer_2" });
  line.take({ error: new TypeError("a bug"), spentMs: 1 });
  await expect(broken).rejects.toThrow("a bug");
  for (let n = 1; n < posted.length; n += 1) respond(1);
  expect(await whole).toEqual({ verdict: "clear", hits: [] });
  expect(line.isIdle()).toBe(true);
});

it("rejects everything when the thread is gone", async () => {
  const { line } = startLine();
  const all = [1, 2].map((n) => line.screen(namesOf(`mer_${n}`, 30), { merchantId: `mer_${n}` }));
  line.refuseAll();
  for (const each of await Promise.allSettled(all)) {
    expect(each).toEqual({ status: "rejected", reason: unavailable });
  }
});
