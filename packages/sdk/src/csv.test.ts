import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";
import { Disburse } from "./disburse.ts";
import { data, scripted } from "./test-platform.ts";

async function textOf(rows: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const row of rows) text += row;
  return text;
}

test("contains all pages and exact amounts", async () => {
  const payout = (id: string, amount: string) =>
    `{"id":"${id}","amount":{"source_amount":${amount}}}`;
  const page = (record: string, next: string) =>
    data(`{"transactions":[${record}],"meta_data":{"total_count":2,"next_cursor":"${next}"}}`);
  const { options } = scripted([
    page(payout("a", "0.10000000000000000001"), "c"),
    page(payout("b", "-12.00"), ""),
  ]);
  const payouts = new Disburse(options).payouts.list();
  expect(await textOf(csvOf(payouts, ["id", "amount.source_amount", "reference_note"]))).toBe(
    "id,amount.source_amount,reference_note\r\na,0.10000000000000000001,\r\nb,-12.00,\r\n",
  );
});

test.each<[string, unknown, string]>([
  ["nothing", undefined, ""],
  ["null", null, ""],
  ["a flag", false, "false"],
  ["a number", 0, "0"],
  ["a list", ["a", "b"], '"[""a"",""b""]"'],
  ["a comma", "a,b", '"a,b"'],
  ["a quote", 'a "b"', '"a ""b"""'],
  ["lines", "a\r\nb", '"a\r\nb"'],
  ["other letters", "héllo ₹", "héllo ₹"],
  ["a negative amount", "-12.50", "-12.50"],
  ["a formula", "=1+1", "'=1+1"],
  ["a formula that begins as a number", "-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"],
  ["a formula to be quoted", '=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ["a telephone number", "+44 20", "'+44 20"],
  ["a mention", "@SUM(1)", "'@SUM(1)"],
  ["a tab", "\t=1", "'\t=1"],
  ["a wide equals sign", "＝1", "'＝1"],
])("writes %s", async (_, value, cell) => {
  expect(await textOf(csvOf([{ value } as { value: string }], ["value"]))).toBe(
    `value\r\n${cell}\r\n`,
  );
});

test("reads nested fields, and keys with a dot", async () => {
  const metadata: Record<string, string> = { "a.b": "1", c: "2" };
  const record = { metadata, plain: "3" };
  const columns = ["metadata.a.b", "metadata.c", "metadata.toString", "plain"] as const;
  const [, second] = (await textOf(csvOf([record], columns))).split("\r\n");
  expect(second).toBe("1,2,,3");
  // @ts-expect-error: inherited properties are not columns.
  expect(await textOf(csvOf([record], ["plain.length"]))).toBe("plain.length\r\n\r\n");
});

test("rejects an empty list of columns", async () => {
  await expect(textOf(csvOf([{ id: "a" }], []))).rejects.toThrow(TypeError);
});

test("can be read by another library without changes", async () => {
  const text = fc.string({ unit: fc.constantFrom(...'a1 -+=@",\r\n\té') });
  await fc.assert(
    fc.asyncProperty(text, text, async (first, second) => {
      const written = await textOf(csvOf([{ first, second }], ["first", "second"]));
      const [, cells = []] = parse(written, { record_delimiter: "\r\n" }) as string[][];
      const plain = cells.map((cell) => cell.replace(/^'(?=[-+=@\t\r])/, ""));
      expect(plain).toEqual([first, second]);
    }),
  );
});
