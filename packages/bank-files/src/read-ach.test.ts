import { describe, expect, it } from "vitest";
import { readBankFile } from "./read.ts";
import { achLines, encoded, statementText } from "./test-disguises.ts";
import { readWhole as read, readOnlyAch, withoutLines } from "./test-read.ts";

const text = (content: string) => new TextEncoder().encode(content);
const latin1 = (content: string) => Uint8Array.from(Buffer.from(content, "latin1"));

const plainAch = read(text(achLines().join("\n")));

describe("a NACHA file", () => {
  const plain = withoutLines(plainAch);
  const lines = achLines();
  const unbroken = lines.join("");

  it.each<[string, string | Uint8Array]>([
    ["in lines that end with CR LF", lines.join("\r\n")],
    ["in lines that end with CR", lines.map((line) => `${line}\r`).join("")],
    [
      "in lines with mixed ends",
      lines.map((line, at) => line + ["\n", "\r\n", "\r"][at % 3]).join(""),
    ],
    ["without line ends", unbroken],
    ["without line ends but for one LF at its end", `${unbroken}\n`],
    ["without line ends but for one CR LF at its end", `${unbroken}\r\n`],
    ["in lines of a block each", `${unbroken.slice(0, 940)}\n${unbroken.slice(940)}\n`],
    [
      "in lines of two records",
      lines.map((line, at) => line + (at % 2 === 1 ? "\n" : "")).join(""),
    ],
    ["with trailing blanks cut off", lines.map((line) => line.trimEnd()).join("\n")],
    ["with the last control cut off", lines.slice(0, 8).join("").trimEnd()],
    ["in lines of 120 columns", lines.map((line) => line.padEnd(120)).join("\n")],
    ["in records of 100 columns without line ends", lines.map((line) => line.padEnd(100)).join("")],
    ["with blanks in front of lines", lines.map((line) => `  ${line}`).join("\n")],
    ["filled up with NUL", lines.map((line) => line.padEnd(128, "\0")).join("\n")],
    ["with NUL in place of blanks", lines.join("\n").replaceAll(" ", "\0")],
    ["with NUL after it", `${unbroken}${"\0".repeat(5_000)}`],
    ["with ^Z at its end", `${lines.join("\r\n")}\r\n\u001a`],
    ["with ^Z after its last record", `${lines.join("\r\n")}\u001a\u001a`],
    ["with blank lines in front", `\n\r\n   \n${lines.join("\n")}`],
    ["with many blank lines in front", `${"\n".repeat(100_000)}${lines.join("\n")}`],
    ["with blank lines between", lines.join("\n\n \n")],
    ["without its nines", lines.slice(0, 8).join("\n")],
    ["with a card in front", `$$ADD ID=BANK BATCHID='ACH RETURN'\n${lines.join("\n")}`],
    ["with several cards in front", `$$REQUEST ID=X\n//JOB 1\n/*\n* x\n${lines.join("\n")}`],
    ["with a card in front, without line ends", `${"$$ADD ID=BANK".padEnd(80)}${unbroken}`],
    ["with a card of an own line, without line ends", `$$ADD ID=BANK\n${unbroken}\n`],
    ["with a card behind", `${lines.join("\n")}\n/*EOF\n$$END`],
    ["with a card behind, without line ends", `${unbroken}${"/*EOF".padEnd(94)}`],
    ["with a byte order mark", `\ufeff${lines.join("\n")}`],
    ["with a byte order mark after a card", `$$ADD\n\ufeff${lines.join("\n")}`],
    ["in UTF-16LE with mark", encoded("utf-16le with mark", lines.join("\r\n"))],
    ["in UTF-16LE", encoded("utf-16le", lines.join("\r\n"))],
    ["in UTF-16BE with mark", encoded("utf-16be with mark", unbroken)],
    ["in UTF-16BE", encoded("utf-16be", `$$ADD\n${lines.join("\n")}`)],
    ["in Latin-1", latin1(lines.join("\n"))],
    ["in Latin-1 without line ends", latin1(unbroken)],
  ])("is read %s", (_, content) => {
    const bytes = typeof content === "string" ? text(content) : content;
    expect(withoutLines(read(bytes))).toEqual(plain);
  });

  it.each([
    ["in lines", "\n"],
    ["without line ends", ""],
  ])("counts columns by bytes where its records have 94 bytes, %s", (_, end) => {
    // The name has one letter of two bytes, and one blank less.
    const content = lines.map((line) => line.replace("JÜRGEN DOE ", "JÜRGEN DOE"));
    const bytes = content.map((line) => Buffer.from(line));
    expect(bytes.map(({ length }) => length)).toEqual(lines.map(() => 94));
    const file = readOnlyAch(Buffer.from(content.join(end)));
    expect(file.unread).toEqual([]);
    const traces = file.batches[0]?.entries.map(({ trace }) => trace);
    expect(traces).toEqual(["231380100000001", "231380100000002"]);
  });

  it("reports a record whose columns are unclear", () => {
    const content = lines.map((line) => line.replace("Ü", "ÜÜ"));
    expect(readOnlyAch(text(content.join("\n"))).unread).toContainEqual({
      line: 3,
      problem: "has characters that move its columns",
    });
  });

  it.each([
    ["in lines", lines.join("\n"), "\n"],
    ["in lines with a card each", `$$ADD\n${lines.join("\r\n")}`, "\r\n"],
    ["without line ends", unbroken, ""],
    ["without nines", lines.slice(0, 8).join("\r"), "\r"],
    ["each with a byte order mark", `\ufeff${lines.join("\n")}`, "\n"],
    ["each with ^Z", `${lines.join("\n")}\u001a`, "\n"],
  ])("may be followed by others in a file: %s", (_, one, between) => {
    const file = read(text([one, one, one].join(between)));
    expect(file.unread).toEqual([]);
    expect(file.documents).toHaveLength(3);
    for (const each of file.documents) {
      expect(withoutLines({ documents: [each], unread: [] })).toEqual(plain);
    }
  });

  it("that breaks off before another one is named, and both are read", () => {
    const file = read(text([...lines.slice(0, 4), ...lines].join("\n")));
    expect(file.documents).toMatchObject([
      { file: { unread: [{ problem: "the file breaks off: its control record is absent" }] } },
      { file: { unread: [] } },
    ]);
  });

  it("has each line outside of it named that is no card", () => {
    const file = read(text(`REPORT 5\n622\n${lines.join("\n")}\n${lines[2]}\nEND`));
    expect(file.unread).toEqual([
      { place: "line 1", problem: "stands before the first file" },
      { place: "line 2", problem: "stands before the first file" },
    ]);
    expect(file.documents).toMatchObject([
      {
        file: {
          unread: [
            { line: 13, problem: "stands after the end of the file" },
            { line: 14, problem: "stands after the end of the file" },
          ],
        },
      },
    ]);
  });

  it("is refused where XML stands beside it", () => {
    const content = `${lines.join("\n")}\n${statementText()}`;
    expect(readBankFile(text(content))).toMatchObject({ refused: "UNREADABLE" });
  });
});
