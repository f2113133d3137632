import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { BankSimulator, type SimulatorOptions } from "./simulator.ts";
import { initiation } from "./test-initiation.ts";

const folders: string[] = [];
const banks: BankSimulator[] = [];

function start(options: Partial<SimulatorOptions>) {
  const folder = mkdtempSync(join(tmpdir(), "disburse-bank-"));
  folders.push(folder);
  const of = (name: string) => join(folder, name);
  for (const name of ["outgoing", "incoming"]) mkdirSync(of(name));
  const places = { outgoing: of("outgoing"), incoming: of("incoming"), archive: of("archive") };
  const bank = new BankSimulator({ ...places, ...options });
  banks.push(bank);
  return {
    bank,
    put: (name: string, bytes: Uint8Array) => writeFileSync(join(of("outgoing"), name), bytes),
    at: (name: string) => readdirSync(of(name)).filter((each) => !each.startsWith(".")),
    read: (name: string) => readFileSync(join(of("incoming"), name), "utf8"),
  };
}

afterEach(async () => {
  for (const bank of banks.splice(0)) await bank.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

it("takes a file once it has its own name, and answers in its incoming folder", async () => {
  const { bank, put, at } = start({});
  put("one.xml.part", initiation(["10.00"], "M1"));
  put("two.xml", initiation(["11.00"], "M2"));
  await vi.waitFor(() => expect(at("incoming")).toHaveLength(2), 10_000);
  expect(bank.bank.receipts.map(({ id }) => id)).toEqual(["M2"]);
  expect(bank.book.paid("EM20")).toBe(1);
});

it.each([
  ["stays", ["one.xml"], []],
  ["goes", [], []],
  ["archived", [], ["one.xml"]],
] as const)("leaves a file that %s where it has to be", async (taken, outgoing, archive) => {
  const { bank, put, at } = start({ taken });
  put("one.xml", initiation(["10.00"]));
  await vi.waitFor(() => expect(bank.sent).toHaveLength(2), 10_000);
  expect(at("outgoing")).toEqual(outgoing);
  expect(at("archive")).toEqual(archive);
  expect(bank.bank.receipts).toHaveLength(1);
});

it("holds its answers back, and sends them in another order, and twice", async () => {
  const { bank, put, at } = start({ pace: "by-hand" });
  put("one.xml", initiation(["10.00"]));
  await vi.waitFor(() => expect(bank.bank.receipts).toHaveLength(1), 10_000);
  expect(at("incoming")).toEqual([]);
  await bank.deliver((held) => held.toReversed());
  expect(bank.sent.map(({ kind }) => kind)).toEqual(["notification", "status-report"]);
  await bank.repeat();
  expect(at("incoming")).toHaveLength(4);
});

it("writes slowly where it is to, so that a half can be seen", async () => {
  const { bank, put, at, read } = start({ writesSlowly: true });
  put("one.xml", initiation(["10.00"]));
  await vi.waitFor(() => expect(at("incoming")).toHaveLength(1), 10_000);
  const [name = ""] = at("incoming");
  expect(read(name)).not.toContain("</Document>");
  await vi.waitFor(() => expect(read(name)).toContain("</Document>"), 10_000);
  await vi.waitFor(() => expect(bank.sent).toHaveLength(2), 10_000);
});
