import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { document, entry, statement, statusReport } from "./iso20022/reports/test-reports.ts";
import { readBankFile } from "./read.ts";
import {
  achLines,
  encoded,
  encodings,
  envelopes,
  lineEnds,
  statementText,
} from "./test-disguises.ts";
import { readWhole as read, readOnlyAch, readOnlyStatement, withoutLines } from "./test-read.ts";

const text = (content: string) => new TextEncoder().encode(content);
const latin1 = (content: string) => Uint8Array.from(Buffer.from(content, "latin1"));

const plainStatement = read(text(statementText()));
const plainAch = read(text(achLines().join("\n")));

describe("a file of a bank", () => {
  it.each([
    ["status", statusReport("<OrgnlGrpInfAndSts><GrpSts>ACCP</GrpSts></OrgnlGrpInfAndSts>")],
    ["statement", statement(entry("1", "DBIT"))],
    [
      "notification",
      document(
        "camt.054.001.08",
        "<BkToCstmrDbtCdtNtfctn><Ntfctn><Acct><Id><IBAN>X</IBAN></Id></Acct></Ntfctn></BkToCstmrDbtCdtNtfctn>",
      ),
    ],
    [
      "report",
      document(
        "camt.052.001.08",
        "<BkToCstmrAcctRpt><Rpt><Acct><Id><IBAN>X</IBAN></Id></Acct></Rpt></BkToCstmrAcctRpt>",
      ),
    ],
    ["ach", text(achLines().join("\n"))],
  ])("is read as a %s by its content", (kind, bytes) => {
    expect(read(bytes)).toMatchObject({ documents: [{ kind }], unread: [] });
  });

  it("reads a report with its entries", () => {
    const account = "<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>USD</Ccy></Acct>";
    const rpt = `<BkToCstmrAcctRpt><Rpt>${account}${entry("5", "CRDT", "", "PDNG")}</Rpt></BkToCstmrAcctRpt>`;
    expect(readOnlyStatement(document("camt.052.001.08", rpt))).toMatchObject({
      kind: "report",
      version: "camt.052.001.08",
      statements: [{ entries: [{ number: 1, status: "pending", amount: { minor: 500n } }] }],
      unread: [],
    });
  });

  it.each([
    ["nothing", ""],
    ["blanks", " \n\n \0\u001a"],
    ["text", "hello"],
    ["another format", '{"a": 1}'],
    ["a page of a web server", "<html><body>Sign in</body></html>"],
    ["a message that is not read", new TextDecoder().decode(document("camt.029.001.09", "<A/>"))],
    ["records without a head", achLines().slice(1).join("\n")],
  ])("is refused where it is %s", (_, content) => {
    expect(readBankFile(text(content))).toMatchObject({ refused: "UNREADABLE" });
  });

  it("is refused where it is larger than a file of a bank", () => {
    expect(readBankFile(new Uint8Array(64 * 2 ** 20 + 1))).toEqual({
      refused: "UNREADABLE",
      detail: "has more than 67108864 bytes",
    });
  });

  it("has plain values, which can be sent to another thread", () => {
    for (const file of [plainStatement, plainAch]) {
      expect(structuredClone(file)).toEqual(file);
    }
  });
});

describe("the encoding of XML", () => {
  it.each(Object.keys(encodings))("may be %s", (name) => {
    expect(read(encoded(name, statementText(name)))).toEqual(plainStatement);
  });

  it.each([
    ...["latin1", "Latin-1", "ISO8859-1", "ISO8859_1", "ISO_8859-1:1987", "8859_1", "cp819"],
    ...["l1", "IBM819", "csISOLatin1", "cp28591"],
  ])("ISO-8859-1 may be called %s", (name) => {
    const content = statementText(name);
    expect(read(encoded("iso-8859-1", content))).toEqual(plainStatement);
  });

  it.each([
    ["windows-1252", ["Cp1252", "CP-1252", "ansi", "windows_1252", "x-cp1252", "ms1252", "1252"]],
    ["windows-1250", ["Cp1250", "x-cp1250", "WINDOWS-1250", "win1250"]],
    ["iso-8859-2", ["latin2", "Latin-2", "ISO8859_2", "iso8859-2", "8859-2", "ISO-8859-2:1987"]],
    ["iso-8859-15", ["latin9", "Latin-9", "ISO8859_15", "l9", "cp923", "cp28605"]],
    ["utf-8", ["UTF8", "utf_8", "UTF-8-BOM", "cp65001", "unicode-1-1-utf-8"]],
    // The bytes are not 16-bit, whatever the declaration states.
    ["utf-8", ["UTF-16", "utf-16le", "ISO-10646-UCS-2", "Unicode"]],
  ])("%s may be called otherwise", (encoding, names) => {
    for (const name of names) {
      expect(read(encoded(encoding, statementText(name))), name).toEqual(plainStatement);
    }
  });

  it("may be one for each document of a file", () => {
    const joined = Buffer.concat([
      encoded("utf-8", statementText("utf-8")),
      encoded("windows-1252", `\r\n${statementText("windows-1252")}`),
      encoded("utf-8 with mark", statementText("utf-8")),
      encoded("iso-8859-2", statementText("iso-8859-2")),
    ]);
    const [only] = plainStatement.documents;
    expect(read(joined)).toEqual({ documents: [only, only, only, only], unread: [] });
    const later = encoded("iso-8859-1", statementText("iso-8859-1"));
    for (const declared of ["", "<?xml version='1.0'?>"]) {
      const first = text(statementText().replace(/^<\?xml[^>]*\?>/, declared));
      const both = { documents: [only, only], unread: [] };
      expect(read(Buffer.concat([first, later]))).toEqual(both);
      expect(read(Buffer.concat([later, first]))).toEqual(
        declared === "" ? expect.anything() : both,
      );
    }
  });

  it("is UTF-8 where its name is not known, which is noted where it matters", () => {
    const ascii = statementText("EBCDIC-US").replaceAll(/[^\0-\x7f]/g, "x");
    expect(read(text(ascii)).unread).toEqual([]);
    const named = {
      place: "file",
      problem: "is in an encoding that is not known and was read as UTF-8",
    };
    expect(read(text(statementText("X-BANK"))).unread).toEqual([named]);
  });

  it("may be cut within a character where a part of the file ends", () => {
    for (let pad = 0; pad < 4; pad += 1) {
      const content = statementText().replace(
        "<GrpHdr>",
        `<!--${"é".repeat(50_000)}${" ".repeat(pad)}--><GrpHdr>`,
      );
      expect(read(text(content))).toEqual(plainStatement);
    }
  });

  describe("that one byte contradicts", () => {
    const replaced = (count: number) => ({
      place: "file",
      problem: `characters that are not of its encoding, replaced: ${count}`,
    });
    const details = (parts: string) => `<NtryDtls><TxDtls>${parts}</TxDtls></NtryDtls>`;
    const withBytes = (parts: string) =>
      latin1(new TextDecoder().decode(statement(entry("100.00", "DBIT", parts))));

    it("is noted, and the file is read", () => {
      const parts = details(
        "<Refs><EndToEndId>E1</EndToEndId></Refs><RltdPties><Cdtr><Nm>M\u00fcller</Nm></Cdtr></RltdPties>",
      );
      expect(read(withBytes(parts))).toMatchObject({
        documents: [
          {
            file: {
              statements: [{ entries: [{ transactions: [{ endToEndId: "E1" }] }] }],
              unread: [],
            },
          },
        ],
        unread: [replaced(1)],
      });
    });

    it("is noted where the encoding has a control character for the byte", () => {
      const content = statementText("iso-8859-2").replace("Jürgen", "\u008a");
      expect(read(encoded("iso-8859-2", content)).unread).toEqual([replaced(1)]);
    });

    it("is reported at its place if it is in an element that is read", () => {
      const parts = details(
        "<Refs><EndToEndId>E\u00fc1</EndToEndId><InstrId>\u00e9</InstrId></Refs>",
      );
      const file = read(withBytes(parts));
      expect(file.unread).toEqual([replaced(2)]);
      const at = "Stmt[1]/Ntry[1]/TxDtls[1]/Refs";
      expect(file.documents).toMatchObject([
        {
          file: {
            statements: [{ entries: [{ transactions: [{ endToEndId: "E\ufffd1" }] }] }],
            unread: [
              { place: `${at}/EndToEndId`, problem: "has a replaced character" },
              { place: `${at}/InstrId`, problem: "has a replaced character" },
            ],
          },
        },
      ]);
    });

    it("makes no amount of another one", () => {
      const entries = entry("10\u00fc0.00", "DBIT") + entry("7", "DBIT");
      const file = read(latin1(new TextDecoder().decode(statement(entries))));
      expect(file.documents).toMatchObject([
        {
          file: {
            statements: [{ entries: [{ number: 2 }] }],
            unread: expect.arrayContaining([
              { place: "Stmt[1]/Ntry[1]/Amt", problem: "is not an amount of its currency" },
            ]),
          },
        },
      ]);
    });

    it("swallows no markup", () => {
      // The first byte of three in UTF-8, at the end of a name.
      const parts = details(
        "<RltdPties><Cdtr><Nm>\u00e9</Nm></Cdtr></RltdPties><Refs><EndToEndId>E1</EndToEndId></Refs>",
      );
      expect(read(withBytes(parts)).documents).toMatchObject([
        { file: { statements: [{ entries: [{ transactions: [{ endToEndId: "E1" }] }] }] } },
      ]);
    });
  });
});

describe("an envelope of XML", () => {
  it.each(Object.entries(envelopes))("may be %s", (_, envelope) => {
    expect(read(text(envelope(statementText())))).toEqual(plainStatement);
  });

  it("may hold several messages, of several kinds", () => {
    const body = (bytes: Uint8Array) =>
      new TextDecoder().decode(bytes).replace(/^<\?xml[^>]*\?>/, "");
    const status = body(
      statusReport("<OrgnlGrpInfAndSts><GrpSts>RJCT</GrpSts></OrgnlGrpInfAndSts>"),
    );
    const file = read(
      text(
        `<?xml version="1.0"?><Env><Hdr/>${body(statement(""))}<Msg>${status}</Msg>${body(statement(entry("1", "DBIT")))}</Env>`,
      ),
    );
    expect(file).toMatchObject({
      documents: [
        { kind: "statement", file: { statements: [{ entries: [] }] } },
        { kind: "status", report: { group: { status: "RJCT" } } },
        { kind: "statement", file: { statements: [{ entries: [{ number: 1 }] }] } },
      ],
      unread: [],
    });
  });

  it.each([
    ["a later document breaks off", (one: string) => `${one}${one.slice(0, -20)}`],
    ["a later document is of another message", (one: string) => `${one}<Document><X/></Document>`],
    ["a NACHA file follows", (one: string) => `${one}\n${achLines().join("\n")}`],
    ["a document type stands in a later one", (one: string) => `${one}<!DOCTYPE a>${one}`],
  ])("is refused as a whole where %s", (_, build) => {
    const one = statementText().replace(/^<\?xml[^>]*\?>/, "");
    expect(readBankFile(text(build(one)))).toMatchObject({ refused: "UNREADABLE" });
  });

  it("notes lines outside of its documents", () => {
    expect(read(text(`hello\n${statementText()}`))).toEqual({
      documents: plainStatement.documents,
      unread: [{ place: "file", problem: "lines outside of its documents: 1" }],
    });
  });
});

describe("whatever a file is disguised as", () => {
  const blank = fc.constantFrom("", " ", "   ", "\0");
  const cards = fc.array(fc.constantFrom("$$ADD ID=X", "$$REQUEST", "//X EXEC", "/*", ""), {
    maxLength: 3,
  });
  const disguise = fc.record({
    encoding: fc.constantFrom(...Object.keys(encodings)),
    lineEnd: fc.constantFrom(...lineEnds),
    envelope: fc.constantFrom(...Object.values(envelopes)),
    padding: blank,
    before: cards,
    after: cards,
    tail: fc.constantFrom("", "\u001a", "\0\0\0"),
    count: fc.integer({ min: 1, max: 3 }),
  });

  it("its messages are those of the plain file", () => {
    fc.assert(
      fc.property(disguise, (each) => {
        const one = each.envelope(statementText(each.encoding));
        const all = Array.from({ length: each.count }, () => one);
        const content = [...each.before, ...all, ...each.after]
          .join("\n")
          .replaceAll("\n", each.padding + each.lineEnd);
        const file = read(encoded(each.encoding, content + each.tail));
        const [only] = plainStatement.documents;
        expect(file).toEqual({ documents: all.map(() => only), unread: [] });
      }),
      { numRuns: 500 },
    );
  });

  it("its NACHA files are those of the plain file", () => {
    fc.assert(
      fc.property(disguise, fc.boolean(), (each, isTrimmed) => {
        const isNarrow = !/utf/.test(each.encoding);
        const all = Array.from({ length: each.count }, () => achLines()).flat();
        const padded = all.map((line) => (isTrimmed ? line.trimEnd() : line) + each.padding);
        const content = [...each.before, ...padded, ...each.after].join(each.lineEnd) + each.tail;
        const encoding = isNarrow ? "iso-8859-1" : each.encoding;
        const file = read(encoded(encoding, content));
        expect(file.unread).toEqual([]);
        expect(file.documents).toHaveLength(each.count);
        for (const document of file.documents) {
          expect(withoutLines({ documents: [document], unread: [] })).toEqual(
            withoutLines(plainAch),
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Files that an earlier version misread, if they are present beside the project. */
const folder = join(import.meta.dirname, "../../../../shared/data/cases");
const reason = existsSync(folder) ? "" : " (skipped: ../shared/data/cases is not here)";

describe.skipIf(reason !== "")(`files that were read wrongly${reason}`, () => {
  const sample = (name: string) => readFileSync(join(folder, name));

  it.each(["return-cr-line-ends.ach", "return-byte-order-mark.ach"])("%s is a return", (name) => {
    const file = read(sample(name));
    expect(file).toEqual(read(sample("return-control.ach")));
    expect(readOnlyAch(sample(name))).toMatchObject({
      batches: [{ entries: [{ cents: 1234n, addenda: [{ kind: "return", code: "R03" }] }] }],
      unread: [],
    });
  });

  it("camt053-one-latin1-byte.xml is read, with one note", () => {
    expect(read(sample("camt053-one-latin1-byte.xml"))).toMatchObject({
      documents: [{ file: { statements: [{ entries: [{ amount: { minor: 10_000n } }] }] } }],
      unread: [{ problem: "characters that are not of its encoding, replaced: 1" }],
    });
  });

  it("camt053-xsi-first.xml is of the version that it declares", () => {
    expect(readOnlyStatement(sample("camt053-xsi-first.xml"))).toMatchObject({
      version: "camt.053.001.08",
      unread: [],
    });
  });

  it("camt053-charge-under-the-same-reference.xml says that the second entry is a charge", () => {
    const [its] = readOnlyStatement(
      sample("camt053-charge-under-the-same-reference.xml"),
    ).statements;
    expect(its?.entries[1]).toMatchObject({ code: { subFamily: "CHRG" } });
  });

  it("each other one is read without a problem", () => {
    for (const name of [
      "camt053-batch-named-without-amounts.xml",
      "pain002-duplicate-in-words.xml",
    ]) {
      expect(read(sample(name))).toMatchObject({ documents: [{}], unread: [] });
    }
  });
});
