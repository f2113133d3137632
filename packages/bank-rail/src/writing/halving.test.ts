import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileDocument } from "../documents.ts";
import type { BankFormat, PaymentToWrite } from "../format.ts";
import { tryToWrite, writeHalved } from "./halving.ts";

const file = { _id: "FILE1" } as FileDocument;

/** Returns payments with these ids. A test writer uses only the ids. */
const paymentsOf = (ids: readonly string[]) =>
  ids.map((_id) => ({ payment: { _id }, order: {} })) as unknown as PaymentToWrite[];

type Writer = Pick<BankFormat, "write"> & Partial<Pick<BankFormat, "check">>;

const formatOf = ({ write, check = async () => [] }: Writer): BankFormat => ({
  sumMax: 1n,
  write,
  check,
  judging: {
    accounts: [],
    returnChargesMax: 0n,
    statusSettles: false,
    notExecutedCodes: new Set(),
    entriesSettle: false,
  },
  failureOf: () => ({ code: "UNSPECIFIED" }),
});

/** Writes payments if none of them is bad and there are at most `max`. */
const writer = (bad: ReadonlySet<string>, max: number): BankFormat["write"] => {
  return async (_file, payments) => {
    const ids = payments.map(({ payment }) => payment._id);
    if (ids.some((id) => bad.has(id))) throw new TypeError("Jane Doe");
    if (ids.length > max) return { ...refused("DEFECT"), problems: ["payments: are too many"] };
    const members = ids.map((id) => ({ id, trace: id }));
    return { file: { name: "f", bytes: new Uint8Array(), members }, leftOut: [] };
  };
};

const idsOf = (members: readonly { readonly id: string }[] = []) => members.map(({ id }) => id);

describe("a file that is halved", () => {
  const anyFile = fc.record({
    isBad: fc.array(fc.boolean(), { minLength: 1, maxLength: 70 }),
    max: fc.integer({ min: 1, max: 70 }),
  });

  it("leaves out the payments at fault alone, and fills up with others", async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async ({ isBad, max }) => {
        const ids = isBad.map((_each, at) => `po_${at}`);
        const bad = new Set(ids.filter((_id, at) => isBad[at]));
        const format = formatOf({ write: writer(bad, max) });
        const result = await writeHalved(format, file, paymentsOf(ids));
        if (ids.length > 1 && bad.size === ids.length) {
          expect(result).toMatchObject({ refused: "UNWRITABLE" });
          return;
        }
        if (isRefused(result)) throw new Error(result.problems.join());
        expect(new Set(idsOf(result.leftOut))).toEqual(bad);
        const members = idsOf(result.file?.members);
        expect(members.some((id) => bad.has(id))).toBe(false);
        expect(members).toEqual(ids.filter((id) => members.includes(id)));
        const good = ids.length - bad.size;
        if (good <= max) expect(members).toHaveLength(good);
        else expect(members.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });

  it("finds one payment at fault among 20,000 in few tries", async () => {
    const ids = Array.from({ length: 20_000 }, (_each, at) => `po_${at}`);
    const write = writer(new Set(["po_12345"]), ids.length);
    let tries = 0;
    const format = formatOf({
      write: (...given) => {
        tries += 1;
        return write(...given);
      },
    });
    const result = await writeHalved(format, file, paymentsOf(ids));
    expect(isRefused(result) ? [] : idsOf(result.leftOut)).toEqual(["po_12345"]);
    expect(isRefused(result) ? 0 : result.file?.members.length).toBe(19_999);
    expect(tries).toBeLessThan(40);
  });

  it.each<[string, Writer["check"], string]>([
    ["has problems", async () => ["odfi: is not eight digits"], "odfi: is not eight digits"],
    ["fails", () => Promise.reject(new Error("Jane Doe")), "the file writer failed: Error at "],
  ])("blames no payment where the writing of a known one %s", async (_name, check, problem) => {
    const format = formatOf({ write: writer(new Set(["po_1"]), 9), ...(check && { check }) });
    const result = await writeHalved(format, file, paymentsOf(["po_1", "po_2"]));
    expect(result).toMatchObject({
      refused: "UNWRITABLE",
      problems: [expect.stringContaining(problem)],
    });
  });

  it("is held where one payment is refused and no other can be written", async () => {
    const write: BankFormat["write"] = async (_file, payments) => {
      if (payments.length > 1 || payments[0]?.payment._id === "po_2") throw new Error("broken");
      return { file: undefined, leftOut: [{ id: "po_1", field: "name", problem: "is empty" }] };
    };
    const result = await writeHalved(formatOf({ write }), file, paymentsOf(["po_1", "po_2"]));
    expect(result).toMatchObject({ refused: "UNWRITABLE" });
  });

  it.each([
    [1, false],
    [2, true],
    [101, true],
  ])("of %d payments that all fail alone is held: %s", async (count, isHeld) => {
    const ids = Array.from({ length: count }, (_each, at) => `po_${at}`);
    const format = formatOf({ write: writer(new Set(ids), count) });
    const result = await writeHalved(format, file, paymentsOf(ids));
    expect(isRefused(result)).toBe(isHeld);
    if (!isRefused(result)) expect(idsOf(result.leftOut).toSorted()).toEqual(ids.toSorted());
  });
});

describe("what a writer makes", () => {
  const written = (members: readonly string[], leftOut: readonly string[]) =>
    formatOf({
      write: async () => ({
        file: { name: "f", bytes: new Uint8Array(), members: members.map((id) => ({ id })) },
        leftOut: leftOut.map((id) => ({ id, field: "name", problem: "is empty" })),
      }),
    });

  it.each<[readonly string[], readonly string[], boolean]>([
    [["a", "b"], [], true],
    [["a"], ["b"], true],
    [["a"], [], false],
    [["a", "a"], [], false],
    [["a", "b"], ["b"], false],
    [["a", "c"], [], false],
  ])("has each payment once: members %j, left out %j: %s", async (members, leftOut, isWhole) => {
    const result = await tryToWrite(written(members, leftOut), file, paymentsOf(["a", "b"]));
    expect(isRefused(result)).toBe(!isWhole);
  });

  it("names the place of an exception, and never its message", async () => {
    const format = formatOf({ write: writer(new Set(["a"]), 1) });
    const result = await tryToWrite(format, file, paymentsOf(["a"]));
    expect(result).toEqual({
      refused: "DEFECT",
      problems: [
        expect.stringMatching(/^the file writer failed: TypeError at halving\.test\.ts:\d+$/),
      ],
    });
  });
});
