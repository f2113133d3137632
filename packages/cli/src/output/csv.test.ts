import { expect, it } from "vitest";
import { csvText } from "./csv.ts";

it("writes rows of RFC 4180, and nothing that a spreadsheet runs", () => {
  const rows = [
    { id: "a", text: 'with, "quotes"\nand lines', count: 1 },
    { id: "=1+1", text: null, more: { a: 1 } },
  ];
  expect(csvText(rows, ["id", "text", "count", "more.a"])).toBe(
    'id,text,count,more.a\r\na,"with, ""quotes""\nand lines",1,\r\n\'=1+1,,,1\r\n',
  );
  expect(csvText([], ["id"])).toBe("id\r\n");
});
