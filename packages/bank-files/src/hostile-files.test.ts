import { isRefused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "./iso20022/reports/entry.ts";
import { entry, statement, statusReport } from "./iso20022/reports/test-reports.ts";
import { achFile, achProfile, credit } from "./nacha/test-credits.ts";
import { writeAch } from "./nacha/write.ts";
import { type BankFile, readBankFile } from "./read.ts";

const ach = writeAch(achProfile, achFile([credit(1, { remittance: "Invoice 1" }), credit(2)]));
if (isRefused(ach)) throw new Error("was not written");

const files = {
  statement: statement(
    entry(
      "12.34",
      "DBIT",
      "<NtryDtls><TxDtls><Refs><EndToEndId>E1</EndToEndId></Refs></TxDtls></NtryDtls>",
    ),
  ),
  statusReport: statusReport(
    "<OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId><GrpSts>RJCT</GrpSts></OrgnlGrpInfAndSts>",
  ),
  ach: ach.bytes,
};

const change = fc.record({
  at: fc.nat(2000),
  removed: fc.nat(20),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc
      .constantFrom("<", ">", "&", '"', "]]>", "<!--", "<![CDATA[", "<?x", "&#0;", "<a>", "\n", "9")
      .map((text) => new TextEncoder().encode(text)),
  ),
});

function changed(
  bytes: Uint8Array,
  { at, removed, put }: { at: number; removed: number; put: Uint8Array },
) {
  const place = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + removed)]);
}

function entriesOf({ documents }: BankFile): Entry[] {
  const files = documents.flatMap((each) => ("file" in each ? [each.file] : []));
  const statements = files.flatMap((file) => ("statements" in file ? file.statements : []));
  return statements.flatMap(({ entries }) => entries);
}

describe("a corrupted file", () => {
  it("is read or refused, whatever its bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readBankFile(bytes)).toBeTypeOf("object");
      }),
    );
  });

  it.each(Object.entries(files))(
    "is read or refused where parts of a %s are others",
    (_, bytes) => {
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
          const other = changes.reduce<Uint8Array>((now, each) => changed(now, each), bytes);
          const file = readBankFile(other);
          expect(file).toBeTypeOf("object");
          if (isRefused(file)) return;
          for (const { amount, direction, status } of entriesOf(file)) {
            expect(amount.minor).toBeGreaterThanOrEqual(0n);
            expect(amount.currency).toMatch(/^[A-Z]{3}$/);
            expect(["credit", "debit"]).toContain(direction);
            expect(["booked", "pending", "information", "future"]).toContain(status);
          }
        }),
        { numRuns: 300 },
      );
    },
  );
});
