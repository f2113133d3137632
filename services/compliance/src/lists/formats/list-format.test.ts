import { gzipSync } from "node:zlib";
import { enumNames } from "@disburse/chassis/enum-names.ts";
import { ListFormat } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { describe, expect, it } from "vitest";
import { unpackedFiles } from "./file-bytes.ts";
import { listFormats, readList } from "./list-format.ts";
import { file } from "./test-file.ts";

const line = '{"uid":"1","type":"entity","names":[{"name":"INVENTED CO"}]}\n';
const entry = expect.objectContaining({ uid: "1", type: "entity" });

it("has a format for every number of the contract", () => {
  expect(listFormats).toEqual(expect.arrayContaining([...enumNames(ListFormat)]));
});

describe("readList", () => {
  it("reads plain and gzipped bytes alike, with a byte order mark or without", () => {
    for (const text of [line, `\ufeff${line}`]) {
      const plain = file(text);
      const packed = { ...plain, bytes: gzipSync(plain.bytes) };
      expect(readList("json_lines", [plain])).toEqual({ entries: [entry], notes: [], gaps: [] });
      expect(readList("json_lines", [packed])).toEqual({ entries: [entry], notes: [], gaps: [] });
    }
  });

  it.each(listFormats)("refuses a file that is not %s", (format) => {
    const packed = gzipSync(line.repeat(1_000));
    const broken = Buffer.concat([packed.subarray(0, 50), packed.subarray(60)]);
    const wrong: readonly Uint8Array[] = [
      ...["", "\n\n", "a", "\u0000", "a,b\n1,2", "a;b\n1;2", "{}", "[]", "<html></html>"],
      ...["%PDF-1.7", "PK\u0003\u0004\u0000", '"', "\ufeff", "\u001a", "null\n", "<a>&lol;</a>"],
    ].map((text) => Buffer.from(text));
    const bytes = [
      packed.subarray(0, -9),
      packed.subarray(0, 5),
      broken,
      Buffer.from([0xff, 0xfe]),
    ];
    for (const one of [...wrong, ...bytes]) {
      const list = readList(format, [{ name: "", bytes: one }]);
      expect(list).toEqual({ problem: expect.stringMatching(/./) });
    }
    expect(readList(format, [])).toEqual({ problem: expect.stringContaining("files: ") });
  });

  it.each([
    ["json_lines", "line 2: is not UTF-8"],
    ["ofac_csv", "primary: line 2: is not UTF-8"],
    ["un_xml", "line 2: is not UTF-8"],
    ["eu_csv", "line 2: is not UTF-8"],
    ["uk_csv", "line 2: is not UTF-8"],
  ] as const)("refuses Latin-1 in %s with its line", (format, problem) => {
    const bytes = Buffer.concat([Buffer.from(line), Buffer.from("Zo\u00eb", "latin1")]);
    expect(readList(format, [{ name: "", bytes }])).toEqual({ problem });
  });

  it.each(["un_xml", "eu_csv", "uk_csv"] as const)("refuses a NUL byte in %s", (format) => {
    const list = readList(format, [file("a\nb\nc\u0000")]);
    expect(list).toEqual({ problem: "line 3: has a NUL byte" });
  });

  it("names an incomplete gzip file", () => {
    const bytes = gzipSync("1").subarray(0, -9);
    const problem = "comments: is an incomplete or damaged gzip file";
    expect(readList("ofac_csv", [{ name: "comments", bytes }])).toEqual({ problem });
  });

  it("accepts one file if a format has one", () => {
    const problem = "files: must be exactly one file";
    expect(readList("json_lines", [file(line), file(line)])).toEqual({ problem });
  });
});

describe("unpackedFiles", () => {
  const bytes = gzipSync(Buffer.alloc(1_000));
  const two = [
    { name: "a", bytes },
    { name: "b", bytes },
  ];

  it("unpacks as much as is allowed in all files together", () => {
    expect(unpackedFiles(two, 2_000)).toMatchObject([
      { name: "a", bytes: { length: 1_000 } },
      { name: "b", bytes: { length: 1_000 } },
    ]);
  });

  it.each([1, 999, 1_000, 1_999])("stops at %d bytes", (bytesMax) => {
    const problem = `files: must have at most ${bytesMax} bytes together, unpacked`;
    expect(() => unpackedFiles(two, bytesMax)).toThrow(problem);
  });

  it("counts unpacked files too", () => {
    const plain = { name: "a", bytes: Buffer.alloc(11) };
    expect(() => unpackedFiles([plain], 10)).toThrow("must have at most 10 bytes");
    expect(unpackedFiles([plain], 11)).toEqual([plain]);
  });
});
