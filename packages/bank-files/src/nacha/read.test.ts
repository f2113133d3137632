import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { readBankFile } from "../read.ts";
import { readOnlyAch as read } from "../test-read.ts";
import type { AchAddenda } from "./addenda.ts";
import { batchControl, batchHeader, entryDetail, fileControl, record } from "./records.ts";
import { achFile, achProfile, credit } from "./test-credits.ts";
import { writeAch } from "./write.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const head =
  "101 231380104 1210428822611260930A094101Federal Reserve Bank   Disburse Inc                   ";
const batch = (entryClass: string) =>
  record(batchHeader, {
    ...{ recordType: "5", serviceClass: "220", companyName: "Disburse Inc", entryClass },
    ...{ companyId: "1234567890", effectiveOn: "000000", originatorStatus: "1" },
    ...{ odfi: "23138010", number: "1", description: "PAYOUT" },
  });
const entry = record(entryDetail, {
  ...{ recordType: "6", transactionCode: "21", rdfi: "12104288", checkDigit: "2" },
  ...{ account: "987654321", amount: "1234", receiverId: "2NQ5E7Y8000001" },
  ...{ receiver: "Jane Doe", addendaIndicator: "1", trace: "231380100000001" },
});
const end = record(batchControl, {
  ...{ recordType: "8", serviceClass: "220", entries: "2", hash: "12104288", debits: "0" },
  ...{ credits: "1234", companyId: "1234567890", odfi: "23138010", number: "1" },
});
const fileEnd = record(fileControl, {
  ...{ recordType: "9", batches: "1", blocks: "1", entries: "2", hash: "12104288" },
  ...{ debits: "0", credits: "1234" },
});
const nines = "9".repeat(94);

/** A file of one entry that is returned with this addenda record. */
function fileWith(addenda: string, entryClass = "PPD"): string {
  const lines = [head, batch(entryClass), entry, addenda.padEnd(94), end, fileEnd];
  return [...lines, nines, nines, nines, nines].join("\n");
}

const original = "121042880000001";
const rest = "231380100000001";

function addendaIn(text: string): AchAddenda | undefined {
  const file = read(bytes(text));
  expect(file.unread).toEqual([]);
  return file.batches[0]?.entries[0]?.addenda[0];
}

describe("returns and changes of NACHA entries", () => {
  it("is a return, with the trace number that we gave", () => {
    const text = `799R02${original}      12104288${"ACCOUNT CLOSED".padEnd(44)}${rest}`;
    expect(addendaIn(fileWith(text))).toEqual({
      kind: "return",
      code: "R02",
      originalTrace: original,
      originalRdfi: "12104288",
      trace: rest,
      text: "ACCOUNT CLOSED",
    });
    expect(read(bytes(fileWith(text))).batches[0]).toMatchObject({
      entryClass: "PPD",
      entries: [{ direction: "credit", cents: 1234n, routing: "121042882", line: 3 }],
    });
  });

  it("is a return for a death, with its day", () => {
    const text = `799R15${original}26110112104288${" ".repeat(44)}${rest}`;
    expect(addendaIn(fileWith(text))).toMatchObject({ code: "R15", dateOfDeath: "261101" });
  });

  it.each(["R61", "R62", "R67", "R68", "R69", "R70"])("is a dishonoured return, %s", (code) => {
    const part = `   123918710000001330${"01"}${"Untimely".padEnd(21)}`;
    expect(addendaIn(fileWith(`799${code}${original}      12104288${part}${rest}`))).toEqual({
      ...{ kind: "dishonoured", code, originalTrace: original, originalRdfi: "12104288" },
      ...{ trace: rest, returnTrace: "123918710000001", returnCode: "R01", text: "Untimely" },
    });
  });

  it.each(["R71", "R72", "R73", "R74", "R75", "R76", "R77"])(
    "is a contested dishonoured return, %s",
    (code) => {
      const part = [
        "329",
        "123918710000001",
        "330",
        "01",
        "121042880000077",
        "331",
        "68",
        " ",
      ].join("");
      expect(addendaIn(fileWith(`799${code}${original}26112512104288${part}${rest}`))).toEqual({
        ...{ kind: "contested", code, originalTrace: original, originalRdfi: "12104288" },
        ...{ trace: rest, returnTrace: "123918710000001", returnCode: "R01" },
        ...{ dishonouredTrace: "121042880000077", dishonouredCode: "R68" },
      });
    },
  );

  it.each([
    ["C01", "1918171614", { account: "1918171614" }],
    ["C02", "121042882", { routing: "121042882" }],
    ["C03", "121042882   555", { routing: "121042882", account: "555" }],
    ["C04", "Jane Roe", { name: "Jane Roe" }],
    ["C05", "32", { accountType: "savings" }],
    ["C06", `${"555".padEnd(17)}   22`, { account: "555", accountType: "checking" }],
    [
      "C07",
      `121042882${"555".padEnd(17)}32`,
      { routing: "121042882", account: "555", accountType: "savings" },
    ],
    ["C09", "ID 7", { receiverId: "ID 7" }],
    ["C02", "121042883", undefined],
    ["C05", "92", undefined],
    ["C01", "1918171614 and more text", undefined],
    ["C03", "121042882", undefined],
    ["C13", "05", undefined],
  ])("is a notification of change, %s to %j", (code, corrected, proposed) => {
    const text = `798${code}${original}      12104288${corrected.padEnd(44)}${rest}`;
    expect(addendaIn(fileWith(text, "COR"))).toEqual({
      ...{ kind: "change", code, originalTrace: original, originalRdfi: "12104288" },
      ...{ trace: rest, corrected },
      ...(proposed === undefined ? {} : { proposed }),
    });
  });

  it.each([
    ["of another type", "702"],
    ["without a trace number", "799R02"],
    ["with a code that does not exist", `799X02${original}`],
    ["of international entries", `799R02${original}      12104288`, "IAT"],
  ])("is named where it is an addenda record %s", (_, text, entryClass = "PPD") => {
    const file = read(bytes(fileWith(text, entryClass)));
    expect(file.unread).toEqual([{ line: 4, problem: "is an addenda record of an unknown kind" }]);
    expect(file.batches[0]?.entries[0]?.addenda).toEqual([]);
  });
});

describe("a NACHA file that is not as it should be", () => {
  const file = writeAch(achProfile, achFile([credit(1)]));
  const text = isRefused(file) ? "" : new TextDecoder().decode(file.bytes);
  const lines = text.trimEnd().split("\n");
  const problems = (content: string) =>
    read(bytes(content)).unread.map(({ line, problem }) => `${line} ${problem}`);
  const without = (at: number) => lines.toSpliced(at, 1).join("\n");

  it("has no line ends, or short last lines", () => {
    expect(problems(lines.join(""))).toEqual([]);
    expect(problems(lines.map((line) => line.trimEnd()).join("\r\n"))).toEqual([]);
  });

  it("breaks off", () => {
    expect(problems(lines.slice(0, 3).join("\n"))).toEqual([
      "3 the file breaks off: its control record is absent",
    ]);
  });

  it.each([
    [without(1), ["2 is an entry outside of a batch", "3 ends a batch that did not begin"]],
    [without(3), ["4 ends the file before its last batch ends"]],
    [without(2), ["3 counts other entries", "3 has another entry hash"]],
    [`${lines.slice(0, 9).join("\n")}\nx`, ["10 stands after the end of the file"]],
    [lines.with(2, "x".repeat(94)).join("\n"), ["3 is not a record of a NACHA file"]],
    [lines.with(2, `${lines[2]}x`).join("\n"), ["3 has more than 94 columns"]],
    [
      lines.with(2, `${lines[2]?.slice(0, 11)}5${lines[2]?.slice(12)}`).join("\n"),
      ["3 has a routing number that is not valid"],
    ],
    [
      lines.with(2, `699${lines[2]?.slice(3)}`).join("\n"),
      ["3 is left out: its code, amount or bank cannot be read"],
    ],
    [
      lines.with(2, `7${lines[2]?.slice(1)}`).join("\n"),
      ["3 is an addenda record without an entry"],
    ],
    [
      lines.with(1, `${lines[1]?.slice(0, 69)}261131${lines[1]?.slice(75)}`).join("\n"),
      ["2 has a day that is not valid"],
    ],
  ])("is taken as far as it proves something, and the rest is named", (content, expected) => {
    expect(problems(content)).toEqual(expect.arrayContaining(expected));
  });

  it.each([["\n"], ["\r\n"], ["\r"], [""]])("names a record by its number, with %j", (end) => {
    const content = lines.with(2, "1".repeat(94)).join(end);
    expect(problems(content)).toContain("3 is not a record of a NACHA file");
  });

  it("gives an addenda record to no other entry than its own", () => {
    const [first = "", second = ""] = [lines[2] ?? "", (lines[2] ?? "").replace(/^6../, "699")];
    const back = `799R02${original}      12104288${" ".repeat(44)}${rest}`;
    for (const damaged of [second, "x".repeat(94), `2${second.slice(1)}`]) {
      const content = [...lines.slice(0, 2), first, damaged, back, ...lines.slice(3)].join("\n");
      const [its] = read(bytes(content)).batches;
      expect(its?.entries.map(({ addenda }) => addenda)).toEqual([[]]);
      expect(problems(content)).toContain("5 is an addenda record without an entry");
    }
  });

  it("names so many problems, and counts the others", () => {
    const content = [lines[0], ...Array.from({ length: 1_200 }, () => "x")].join("\n");
    const { unread } = read(bytes(content));
    expect(unread).toHaveLength(1_001);
    expect(unread.at(-1)).toEqual({ line: 1_201, problem: "has 201 more problems" });
  });

  it.each(["", "hello", "<?xml version='1.0'?>"])("is none: %j", (content) => {
    expect(readBankFile(bytes(content))).toMatchObject({ refused: "UNREADABLE" });
  });
});

/** Files of the test suite of moov-io/ach, if they are present beside the project. */
const folder = join(import.meta.dirname, "../../../../../shared/data/rails/nacha");
const reason = existsSync(folder) ? "" : " (skipped: ../shared/data/rails is not here)";

describe.skipIf(reason !== "")(`NACHA files of others${reason}`, () => {
  const sample = (name: string) => read(readFileSync(join(folder, name)));

  it("a credit to a person", () => {
    expect(sample("ppd-credit.ach")).toEqual({
      destination: "031300012",
      origin: "0231380104",
      createdOn: "2019-08-16",
      modifier: "A",
      batches: [
        {
          number: "0000001",
          companyName: "Name on Account",
          companyId: "231380104",
          entryClass: "PPD",
          description: "REG.SALARY",
          effectiveOn: "2019-08-16",
          odfi: "12104288",
          entries: [
            {
              line: 3,
              direction: "credit",
              transactionCode: "22",
              routing: "231380104",
              account: "987654321",
              cents: 100000000n,
              receiverId: "",
              receiver: "Credit Account 1",
              trace: "121042880000002",
              addenda: [],
            },
          ],
        },
      ],
      unread: [],
    });
  });

  it("a debit with payment information", () => {
    const file = sample("ctx-debit.ach");
    expect(file.unread).toEqual([]);
    expect(file.batches[0]).toMatchObject({
      entryClass: "CTX",
      entries: [
        {
          direction: "debit",
          account: "12345678",
          cents: 100000000n,
          addenda: [
            { kind: "information", text: "Debit First Account" },
            { kind: "information", text: "Debit Second Account" },
          ],
        },
      ],
    });
  });

  it("a return", () => {
    const file = sample("issue1620_return.ach");
    expect(file.unread).toEqual([]);
    expect(file.batches[0]).toMatchObject({
      companyName: "Puppy Daycare",
      entryClass: "CCD",
      odfi: "06200001",
      entries: [
        {
          direction: "credit",
          routing: "062000019",
          account: "9999999999",
          cents: 1n,
          receiver: "aaaa aaaaaa",
          trace: "062000010000001",
          addenda: [
            {
              kind: "return",
              code: "R03",
              originalTrace: "062000010000001",
              originalRdfi: "12345678",
              trace: "987654321000001",
            },
          ],
        },
      ],
    });
    expect(file.batches[0]?.effectiveOn).toBeUndefined();
  });

  it("dishonoured returns", () => {
    const file = sample("dishonored-return.ach");
    expect(file.unread).toEqual([]);
    const entries = file.batches[0]?.entries.map(({ cents, receiver, addenda }) => {
      return { cents, receiver, addenda };
    });
    const addenda = {
      kind: "dishonoured",
      code: "R68",
      originalTrace: "059999990000301",
      originalRdfi: "12391871",
      returnTrace: "123918710000001",
      returnCode: "R01",
      text: "Untimely Return",
    };
    expect(entries).toEqual([
      {
        cents: 25000n,
        receiver: "Wade Arnold",
        addenda: [{ ...addenda, trace: "231380100000001" }],
      },
      {
        cents: 23000n,
        receiver: "Adam Decaf",
        addenda: [{ ...addenda, trace: "231380100000002" }],
      },
    ]);
  });

  it("a return that was dishonoured and contested", () => {
    const file = sample("contested-return.ach");
    expect(file.unread).toEqual([]);
    expect(file.batches[0]?.entries[0]).toMatchObject({
      cents: 100000000n,
      account: "123456789",
      trace: "121042880000001",
      addenda: [
        { kind: "return", code: "R07", text: "Authorization Revoked" },
        { kind: "dishonoured", code: "R68", returnCode: "R01" },
        {
          kind: "contested",
          code: "R71",
          originalTrace: "059999990000301",
          originalRdfi: "12391871",
          trace: "123918710000001",
          returnTrace: "779999990000301",
          returnCode: "R01",
          dishonouredTrace: "889999990000301",
          dishonouredCode: "R67",
        },
      ],
    });
  });

  it("a notification of change", () => {
    const file = sample("cor-read.ach");
    expect(file.unread).toEqual([]);
    expect(file.batches[0]).toMatchObject({
      entryClass: "COR",
      companyName: "Your Company, in",
      entries: [
        {
          transactionCode: "21",
          cents: 0n,
          account: "744-5678-99",
          receiver: "Best Co. #23",
          addenda: [
            {
              kind: "change",
              code: "C01",
              originalTrace: "121042880000001",
              originalRdfi: "12104288",
              trace: "091012980000088",
              corrected: "1918171614",
              proposed: { account: "1918171614" },
            },
          ],
        },
      ],
    });
  });
});
