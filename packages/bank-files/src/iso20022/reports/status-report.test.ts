import { describe, expect, it } from "vitest";
import { readOnlyStatus } from "../../test-read.ts";
import type { Reason } from "./report.ts";
import { document, statusReport } from "./test-reports.ts";

const group = (parts: string) =>
  `<OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${parts}</OrgnlGrpInfAndSts>`;

describe("a payment status report", () => {
  it("is read at its three levels", () => {
    const report = readOnlyStatus(
      statusReport(
        `${group("<GrpSts>PART</GrpSts>")}
        <OrgnlPmtInfAndSts><OrgnlPmtInfId>M1-1</OrgnlPmtInfId><PmtInfSts>ACCP</PmtInfSts>
          <TxInfAndSts><OrgnlInstrId>I1</OrgnlInstrId><OrgnlEndToEndId>E1</OrgnlEndToEndId>
            <OrgnlUETR>8a562c67-ca16-48ba-b074-000000000001</OrgnlUETR><TxSts>RJCT</TxSts>
            <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf><AddtlInf>since May</AddtlInf></StsRsnInf>
            <StsRsnInf><Rsn><Prtry>X1</Prtry></Rsn></StsRsnInf>
            <AcctSvcrRef>R1</AcctSvcrRef>
            <OrgnlTxRef><Amt><InstdAmt Ccy="USD">10.00</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>
          <TxInfAndSts><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><TxSts>ACSC</TxSts></TxInfAndSts>
        </OrgnlPmtInfAndSts>`,
      ),
    );
    expect(report).toEqual({
      version: "pain.002.001.11",
      messageId: "B1",
      createdAt: "2026-11-25T08:00:00Z",
      original: { messageId: "M1" },
      group: { status: "PART", reasons: [] },
      batches: [
        {
          paymentInformationId: "M1-1",
          status: "ACCP",
          reasons: [],
          payments: [
            {
              endToEndId: "E1",
              instructionId: "I1",
              uetr: "8a562c67-ca16-48ba-b074-000000000001",
              bankReference: "R1",
              amount: { minor: 1000n, currency: "USD" },
              status: "RJCT",
              reasons: [{ code: "AC04", text: "closed since May" }, { proprietary: "X1" }],
            },
            { status: "ACSC", reasons: [] },
          ],
        },
      ],
      unread: [],
    });
  });

  it.each([
    ...["ACTC", "ACCP", "ACSP", "ACSC", "ACCC", "PDNG", "PART", "RJCT"],
    ...["RCVC", "RVCM", "RVMC", "RVNA", "RVNC", "RVNM", "ACFW", "ACIS", "ACPD", "CPUC", "PRES"],
  ])("may have the status %s", (status) => {
    const report = readOnlyStatus(statusReport(group(`<GrpSts>${status}</GrpSts>`)));
    expect(report).toMatchObject({ group: { status }, unread: [] });
  });

  it("reports unreadable parts, and leaves them out", () => {
    const report = readOnlyStatus(
      statusReport(
        `${group("<GrpSts>GOOD</GrpSts>")}
        <OrgnlPmtInfAndSts><TxInfAndSts><TxSts>BAD</TxSts><OrgnlTxRef><Amt><InstdAmt Ccy="USD">1.001</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts></OrgnlPmtInfAndSts>`,
        "pain.002.001.14",
      ),
    );
    expect(report).toMatchObject({
      original: { messageId: "M1" },
      group: { unknownStatus: "GOOD", reasons: [] },
      batches: [{ payments: [{ unknownStatus: "BAD", reasons: [] }] }],
      unread: [
        {
          place: "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]/OrgnlTxRef/Amt/InstdAmt",
          problem: "is not an amount of its currency",
        },
        {
          place: "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]/TxSts",
          problem: "is not a known status",
        },
        { place: "CstmrPmtStsRpt/OrgnlGrpInfAndSts/GrpSts", problem: "is not a known status" },
        { place: "Document", problem: "is of a version that was not tried" },
      ],
    });
  });

  it("accepts no status beside another one", () => {
    const report = readOnlyStatus(
      statusReport(
        `${group("")}${group("").replace("M1", "M2")}
        <OrgnlPmtInfAndSts><TxInfAndSts><TxSts>RJCT</TxSts><TxSts>ACSC</TxSts></TxInfAndSts></OrgnlPmtInfAndSts>`,
      ),
    );
    expect(report).toMatchObject({
      original: { messageId: "M1 | M2" },
      batches: [{ payments: [{ unknownStatus: "RJCT | ACSC" }] }],
    });
    const named = report.unread.map(({ place, problem }) => `${place} ${problem}`);
    expect(named).toEqual([
      "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]/TxSts stands again with another text",
      "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]/TxSts is not a known status",
      "CstmrPmtStsRpt/OrgnlGrpInfAndSts/OrgnlMsgId stands again with another text",
    ]);
  });

  it.each([
    ["its own", "", "", "<TxSts>ACSP</TxSts>", false],
    ["its own, unknown", "", "", "<TxSts>XXXX</TxSts>", false],
    ["its block's", "", "<PmtInfSts>RJCT</PmtInfSts>", "", false],
    ["its file's", "<GrpSts>RJCT</GrpSts>", "", "", false],
    ["PART of block and file", "<GrpSts>PART</GrpSts>", "<PmtInfSts>PART</PmtInfSts>", "", true],
    [
      "its file's, of a block in part",
      "<GrpSts>RJCT</GrpSts>",
      "<PmtInfSts>PART</PmtInfSts>",
      "",
      true,
    ],
    ["none", "", "", "<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>", true],
  ])("names a payment without a status at any level: %s", (_, file, block, own, isNamed) => {
    const { unread } = readOnlyStatus(
      statusReport(
        `${group(file)}<OrgnlPmtInfAndSts>${block}<TxInfAndSts><OrgnlEndToEndId>E1</OrgnlEndToEndId>${own}</TxInfAndSts></OrgnlPmtInfAndSts>`,
      ),
    );
    const place = "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]";
    const named = { place, problem: "has no status, nor has a level above it" };
    expect(unread.filter((each) => each.problem === named.problem)).toEqual(isNamed ? [named] : []);
  });

  it("keeps every reason of every level", () => {
    const reason = (code: string) => `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`;
    const report = readOnlyStatus(
      statusReport(
        `${group(`<GrpSts>RJCT</GrpSts>${reason("G1")}${reason("G2")}`)}
        <OrgnlPmtInfAndSts><PmtInfSts>RJCT</PmtInfSts>${reason("B1")}${reason("B2")}
          <TxInfAndSts><TxSts>RJCT</TxSts>${reason("T1")}${reason("T2")}${reason("T3")}</TxInfAndSts>
        </OrgnlPmtInfAndSts>`,
      ),
    );
    const codes = (reasons: readonly Reason[]) => reasons.map(({ code }) => code);
    expect(codes(report.group.reasons)).toEqual(["G1", "G2"]);
    expect(codes(report.batches[0]?.reasons ?? [])).toEqual(["B1", "B2"]);
    expect(codes(report.batches[0]?.payments[0]?.reasons ?? [])).toEqual(["T1", "T2", "T3"]);
  });

  it("limits the length of a reason, and reports that", () => {
    const line = `<AddtlInf>${"x".repeat(600)}</AddtlInf>`;
    const report = readOnlyStatus(
      statusReport(group(`<GrpSts>RJCT</GrpSts><StsRsnInf>${line}${line}</StsRsnInf>`)),
    );
    expect(report.group.reasons[0]?.text).toHaveLength(1_000);
    expect(report.unread).toEqual([
      {
        place: "CstmrPmtStsRpt/OrgnlGrpInfAndSts/StsRsnInf/AddtlInf",
        problem: "is cut off after 1000 characters",
      },
    ]);
  });

  it("of edition .02 names the batch in each payment", () => {
    const bytes = document(
      "pain.002.001.02",
      `<pain.002.001.02><OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId></OrgnlGrpInfAndSts>
        <TxInfAndSts><OrgnlPmtInfId>M1-1</OrgnlPmtInfId><OrgnlEndToEndId>E1</OrgnlEndToEndId>
          <TxSts>RJCT</TxSts><StsRsnInf><StsRsn><Cd>AC01</Cd></StsRsn>
            <AddtlStsRsnInf>no such account</AddtlStsRsnInf></StsRsnInf></TxInfAndSts>
      </pain.002.001.02>`,
    );
    expect(readOnlyStatus(bytes)).toMatchObject({
      original: { messageId: "M1" },
      batches: [
        {
          paymentInformationId: "M1-1",
          payments: [
            {
              endToEndId: "E1",
              status: "RJCT",
              reasons: [{ code: "AC01", text: "no such account" }],
            },
          ],
        },
      ],
      unread: [{ place: "Document", problem: "is of a version that was not tried" }],
    });
  });

  it("reports a missing reference to a file", () => {
    expect(readOnlyStatus(statusReport(""))).toMatchObject({
      original: {},
      unread: [{ place: "CstmrPmtStsRpt/OrgnlGrpInfAndSts", problem: "is absent" }],
    });
  });
});
