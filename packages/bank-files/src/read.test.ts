import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { document, entry, statement, statusReport } from "./iso20022/reports/test-reports.ts";
import { achFile, achProfile, credit } from "./nacha/test-credits.ts";
import { writeAch } from "./nacha/write.ts";
import { readBankFile } from "./read.ts";

const ach = writeAch(achProfile, achFile([credit(1), credit(2)]));
if (isRefused(ach)) throw new Error("was not written");

describe("a file of a bank", () => {
  it.each([
    ["status", statusReport("<OrgnlGrpInfAndSts><GrpSts>ACCP</GrpSts></OrgnlGrpInfAndSts>")],
    ["statement", statement(entry("1", "DBIT"))],
    [
      "notification",
      document("camt.054.001.08", "<BkToCstmrDbtCdtNtfctn><Ntfctn/></BkToCstmrDbtCdtNtfctn>"),
    ],
    ["report", document("camt.052.001.08", "<BkToCstmrAcctRpt><Rpt/></BkToCstmrAcctRpt>")],
    ["ach", ach.bytes],
  ])("is read as a %s by its content", (kind, bytes) => {
    expect(readBankFile(bytes)).toMatchObject({ documents: [{ kind }], unread: [] });
  });
});
