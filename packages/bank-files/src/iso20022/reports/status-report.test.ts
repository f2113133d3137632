import { describe, expect, it } from "vitest";
import { readStatusReport } from "./status-report.ts";
import { document, statement, statusReport } from "./test-reports.ts";

const group = (parts: string) =>
  `<OrgnlGrpInfAndSts><OrgnlMsgId>M1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${parts}</OrgnlGrpInfAndSts>`;

describe("a payment status report", () => {
  it("is read at its three levels", () => {
    const report = readStatusReport(
      statusReport(
        `${group("<OrgnlNbOfTxs>3</OrgnlNbOfTxs><OrgnlCtrlSum>30.00</OrgnlCtrlSum><GrpSts>PART</GrpSts>")}
        <OrgnlPmtInfAndSts><OrgnlPmtInfId>M1-1</OrgnlPmtInfId><PmtInfSts>ACCP</PmtInfSts>
          <TxInfAndSts><OrgnlInstrId>I1</OrgnlInstrId><OrgnlEndToEndId>E1</OrgnlEndToEndId>
            <OrgnlUETR>8a562c67-ca16-48ba-b074-000000000001</OrgnlUETR><TxSts>RJCT</TxSts>
            <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf><AddtlInf>since May</AddtlInf></StsRsnInf>
            <StsRsnInf><Rsn><Prtry>X1</Prtry></Rsn></StsRsnInf>
            <AcctSvcrRef>R1</AcctSvcrRef><ClrSysRef>C1</ClrSysRef>
            <OrgnlTxRef><Amt><InstdAmt Ccy="USD">10.00</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>
          <TxInfAndSts><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><TxSts>ACSC</TxSts></TxInfAndSts>
        </OrgnlPmtInfAndSts>`,
      ),
    );
    expect(report).toEqual({
      version: "pain.002.001.11",
      messageId: "B1",
      createdAt: "2026-11-25T08:00:00Z",
      original: {
        messageId: "M1",
        messageName: "pain.001.001.09",
        payments: 3,
        controlSum: "30.00",
      },
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
              clearingReference: "C1",
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

  it.each(["ACTC", "ACCP", "ACSP", "ACSC", "ACCC", "PDNG", "PART", "RJCT"])(
    "may have the status %s",
    (status) => {
      const report = readStatusReport(statusReport(group(`<GrpSts>${status}</GrpSts>`)));
      expect(report).toMatchObject({ group: { status }, unread: [] });
    },
  );

  it("names what it cannot read, and leaves it out", () => {
    const report = readStatusReport(
      statusReport(
        `${group("<OrgnlNbOfTxs>x</OrgnlNbOfTxs><GrpSts>GOOD</GrpSts>")}
        <OrgnlPmtInfAndSts><TxInfAndSts><TxSts>BAD</TxSts><OrgnlTxRef><Amt><InstdAmt Ccy="USD">1.001</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts></OrgnlPmtInfAndSts>`,
        "pain.002.001.14",
      ),
    );
    expect(report).toMatchObject({
      original: { messageId: "M1" },
      group: { reasons: [] },
      batches: [{ payments: [{ reasons: [] }] }],
      unread: [
        { place: "Document", problem: "is of a version that was not tried" },
        { place: "CstmrPmtStsRpt/OrgnlGrpInfAndSts/OrgnlNbOfTxs", problem: "is not a number" },
        { place: "CstmrPmtStsRpt/OrgnlGrpInfAndSts/GrpSts", problem: "is not a known status" },
        {
          place: "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]/OrgnlTxRef/Amt/InstdAmt",
          problem: "is not an amount of its currency",
        },
        {
          place: "CstmrPmtStsRpt/OrgnlPmtInfAndSts[1]/TxInfAndSts[1]/TxSts",
          problem: "is not a known status",
        },
      ],
    });
  });

  it("says so where it answers no file", () => {
    expect(readStatusReport(statusReport(""))).toMatchObject({
      original: {},
      unread: [{ place: "CstmrPmtStsRpt/OrgnlGrpInfAndSts", problem: "is absent" }],
    });
  });

  it("is nothing else", () => {
    for (const other of [statement(""), document("pain.002.001.11", "<A/>")]) {
      expect(readStatusReport(other)).toMatchObject({ detail: "is no payment status report" });
    }
  });
});
