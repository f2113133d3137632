import { isRefused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AchCredit, AchFile, AchProfile } from "./credit.ts";
import { readAch } from "./read.ts";
import { entryHash } from "./records.ts";
import { achFile, achProfile, credit } from "./test-credits.ts";
import { writeAch } from "./write.ts";

function written(profile: AchProfile, file: AchFile) {
  const result = writeAch(profile, file);
  if (isRefused(result)) throw new Error(JSON.stringify(result.faults));
  const text = new TextDecoder().decode(result.bytes);
  const read = readAch(result.bytes);
  if (isRefused(read)) throw new Error(read.detail);
  return { ...result, text, read };
}

function faults(profile: AchProfile, file: AchFile): string[] {
  const result = writeAch(profile, file);
  if (!isRefused(result)) throw new Error("was written");
  return result.faults.map(({ field, problem }) => `${field} ${problem}`);
}

const balancedProfile: AchProfile = {
  ...achProfile,
  balancedBy: { routing: "121042882", account: "555", accountType: "checking" },
  lineEnd: "\r\n",
};

describe("a written NACHA file", () => {
  it("reads like this", () => {
    const { text, traces, nextTrace } = written(
      achProfile,
      achFile([
        credit(1),
        credit(2, { entryClass: "CCD", name: "Müller & Co", accountType: "savings" }),
        credit(3, { remittance: "Invoice 77", cents: 9_999_999_999n }),
      ]),
    );
    expect(text.split("\n")).toEqual([
      "101 231380104 1210428822611240930A094101Federal Reserve Bank   Disburse Inc                   ",
      "5220Disburse Inc                        1234567890PPDPAYOUT          261125   1121042880000001",
      "622231380104987654321        0000001234M2NQ5E7Y8000001Jane Doe                0121042880000001",
      "622231380104987654321        9999999999M2NQ5E7Y8000003Jane Doe                1121042880000002",
      "705Invoice 77                                                                      00010000002",
      "822000000300462760200000000000000100000012331234567890                         121042880000001",
      "5220Disburse Inc                        1234567890CCDPAYOUT          261125   1121042880000002",
      "632231380104987654321        0000001234M2NQ5E7Y8000002Muller + Co             0121042880000003",
      "822000000100231380100000000000000000000012341234567890                         121042880000002",
      `9000002000001000000040069414030000000000000010000002467${" ".repeat(39)}`,
      "",
    ]);
    expect(traces.map(({ trace }) => trace)).toEqual([
      ...["121042880000001", "121042880000002", "121042880000003"],
    ]);
    expect(traces.map(({ payoutId }) => payoutId.at(-1))).toEqual(["1", "3", "2"]);
    expect(nextTrace).toBe(4);
  });

  it("is balanced by a debit for each batch, where the bank wants it", () => {
    const { read, text, nextTrace } = written(balancedProfile, achFile([credit(1), credit(2)]));
    expect(text.slice(96, 100)).toBe("5200");
    expect(read.batches[0]?.entries.at(-1)).toMatchObject({
      direction: "debit",
      transactionCode: "27",
      routing: "121042882",
      account: "555",
      cents: 2468n,
      trace: "121042880000003",
    });
    expect(read.unread).toEqual([]);
    expect(nextTrace).toBe(4);
  });

  it("has the id modifier of its position in the day, and continues the trace numbers", () => {
    const { read, traces } = written(
      achProfile,
      achFile([credit(1)], { ordinal: 26, traceFrom: 42 }),
    );
    expect(read.modifier).toBe("0");
    expect(traces[0]?.trace).toBe("121042880000042");
  });

  it("has the last ten digits of a hash", () => {
    expect(entryHash(Array.from({ length: 101 }, () => "99999999"))).toBe(99_999_899n);
  });

  it("cuts a name to the 22 columns that there are, and nothing else", () => {
    const { read } = written(achProfile, achFile([credit(1, { name: "x".repeat(30) })]));
    expect(read.batches[0]?.entries[0]?.receiver).toBe("x".repeat(22));
  });
});

describe("a credit that cannot be written into a NACHA file", () => {
  it.each<[Partial<AchCredit>, string]>([
    [{ routing: "231380105" }, "routing is not a valid routing number"],
    [{ account: "1".repeat(18) }, "account is not of up to 17 characters"],
    [{ account: "12é" }, "account is not of up to 17 characters"],
    [{ cents: 0n }, "cents is not above zero and below 100 million dollars"],
    [{ cents: 10_000_000_000n }, "cents is not above zero and below 100 million dollars"],
    [{ effectiveOn: "2026-11-31" }, "effectiveOn is not a banking day of the Fed, yyyy-mm-dd"],
    [{ effectiveOn: "2026-11-26" }, "effectiveOn is not a banking day of the Fed, yyyy-mm-dd"],
    [{ effectiveOn: "2026-11-28" }, "effectiveOn is not a banking day of the Fed, yyyy-mm-dd"],
    [{ effectiveOn: "2026-11-23" }, "effectiveOn is before the day of the file"],
    [{ name: "---" }, "name has no letter or digit"],
    [{ name: "a\u0007" }, "name has characters that no bank takes"],
    [{ remittance: "x".repeat(81) }, "remittance has more than 80 characters"],
  ])("%o is named", (changes, fault) => {
    const file = achFile([credit(1, changes), credit(2)]);
    expect(writeAch(achProfile, file)).toMatchObject({
      faults: [{ payoutId: credit(1).payoutId }],
    });
    expect(faults(achProfile, file)).toEqual([fault]);
  });

  it.each<[Partial<AchFile>, string]>([
    [{ credits: [] }, "credits are missing"],
    [{ credits: [credit(1), credit(1)] }, "credits have a payout that stands twice"],
    [{ ordinal: 36 }, "ordinal is not from 0 to 35: a day has 36 files"],
    [{ createdOn: "2026-11-2" }, "createdOn is not a day, yyyy-mm-dd"],
    [{ createdAt: "24:00" }, "createdAt is not a time, hh:mm"],
    [{ traceFrom: 0 }, "traceFrom runs out"],
    [{ traceFrom: 9_999_999 }, "traceFrom runs out"],
  ])("%o is named", (changes, fault) => {
    expect(faults(achProfile, achFile([credit(1)], changes))).toEqual([fault]);
  });

  it("are more credits than the bank accepts, or than the controls can sum", () => {
    const small = { ...achProfile, entriesMax: 1 };
    expect(faults(small, achFile([credit(1), credit(2)]))).toEqual(["credits are over 1"]);
    const large = Array.from({ length: 101 }, (_, at) => credit(at, { cents: 9_999_999_999n }));
    expect(faults(achProfile, achFile(large))).toEqual([
      "credits sum up to more than twelve digits",
    ]);
  });
});

describe("whatever is written into a NACHA file", () => {
  const alphanumeric = (maxLength: number) =>
    fc.stringMatching(new RegExp(`^[A-Za-z0-9]{1,${maxLength}}$`));
  const anyCredit = fc
    .record({
      number: fc.nat(1_000_000),
      entryClass: fc.constantFrom("PPD" as const, "CCD" as const),
      routing: fc.constantFrom("231380104", "121042882", "021000021", "026009593"),
      account: alphanumeric(17),
      accountType: fc.constantFrom("checking" as const, "savings" as const),
      cents: fc.bigInt(1n, 999_999_999n),
      name: alphanumeric(22),
      effectiveOn: fc.constantFrom("2026-11-25", "2026-11-27"),
      remittance: fc.option(alphanumeric(80), { nil: undefined }),
    })
    .map(({ number, remittance, ...changes }) => {
      return credit(number, { ...changes, ...(remittance === undefined ? {} : { remittance }) });
    });
  const manyCredits = fc.uniqueArray(anyCredit, {
    minLength: 1,
    maxLength: 40,
    selector: ({ payoutId }) => payoutId,
  });

  it.each([achProfile, balancedProfile])("is read as it was written", (profile) => {
    fc.assert(
      fc.property(manyCredits, fc.integer({ min: 1, max: 9_000_000 }), (credits, traceFrom) => {
        const { read, traces, text } = written(profile, achFile(credits, { traceFrom }));
        expect(read.unread).toEqual([]);
        const lines = text.split(profile.lineEnd).slice(0, -1);
        expect(lines.length % 10).toBe(0);
        expect(lines.every((line) => line.length === 94)).toBe(true);
        const found = read.batches.flatMap(({ entries, entryClass, effectiveOn }) =>
          entries
            .filter(({ direction }) => direction === "credit")
            .map((entry) => ({ ...entry, entryClass, effectiveOn })),
        );
        const expected = traces.map(({ payoutId, trace }) => {
          const one = credits.find((each) => each.payoutId === payoutId)!;
          const text = one.remittance;
          return {
            ...{ entryClass: one.entryClass, effectiveOn: one.effectiveOn, trace },
            ...{ routing: one.routing, account: one.account, cents: one.cents },
            transactionCode: one.accountType === "checking" ? "22" : "32",
            receiverId: payoutId.slice(-15).toUpperCase(),
            receiver: one.name,
            addenda: text === undefined ? [] : [{ kind: "information", text }],
          };
        });
        expect(found).toMatchObject(expected);
        expect(found).toHaveLength(credits.length);
        const order = found.map(({ trace }) => trace);
        expect(order).toEqual(order.toSorted());
      }),
      { numRuns: 50 },
    );
  });

  it("is found out where any digit of an amount, a bank or a control is another one", () => {
    const { text } = written(achProfile, achFile([credit(1), credit(2, { cents: 777n })]));
    const places = [...text.matchAll(/^[689].*$/gm)].flatMap(({ 0: line, index }) =>
      Array.from({ length: 94 }, (_, at) => at)
        .filter((at) => /^6/.test(line) && ((at >= 3 && at < 11) || (at >= 29 && at < 39)))
        .concat(/^8/.test(line) ? Array.from({ length: 40 }, (_, at) => 4 + at) : [])
        .concat(/^9 ?0/.test(line) ? Array.from({ length: 54 }, (_, at) => 1 + at) : [])
        .map((at) => index + at),
    );
    expect(places.length).toBeGreaterThan(100);
    for (const at of places) {
      const other = String((Number(text[at]) + 1) % 10);
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      const read = readAch(new TextEncoder().encode(changed));
      expect(isRefused(read) ? [] : read.unread).not.toEqual([]);
    }
  });
});
