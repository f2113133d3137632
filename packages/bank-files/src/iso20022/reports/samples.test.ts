import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { statementBalance } from "../../matching/balance.ts";
import { readOnlyStatement, readOnlyStatus } from "../../test-read.ts";
import type { Entry } from "./entry.ts";
import type { StatementFile } from "./statement.ts";

/** Sample files of banks, if they are present beside the project. */
const folder = join(import.meta.dirname, "../../../../../../shared/data/rails/iso20022/samples");
const reason = existsSync(folder) ? "" : " (skipped: ../shared/data/rails is not here)";

const bytes = (name: string) => readFileSync(join(folder, name));

function statementsOf(name: string): StatementFile {
  return readOnlyStatement(bytes(name));
}

const problems = (file: { unread: StatementFile["unread"] }) =>
  file.unread.map(({ place, problem }) => `${place} ${problem}`);

/** The number, direction, amount and notable parts of an entry. */
function brief({ number, direction, amount, isReversal, transactions }: Entry): unknown[] {
  const [first] = transactions;
  const marks = [isReversal ? "reversal" : "", first?.returned === undefined ? "" : "returned"];
  return [
    ...[number, direction, amount.minor, amount.currency],
    ...[first?.endToEndId ?? first?.paymentInformationId ?? ""],
    marks.filter((mark) => mark !== "").join(),
  ];
}

describe.skipIf(reason !== "")(`status reports of banks${reason}`, () => {
  it("Goldman Sachs accepts a payment", () => {
    expect(readOnlyStatus(bytes("goldman_sachs_pain_002_v3_accepted.xml"))).toEqual({
      version: "pain.002.001.03",
      messageId: "1036XXX",
      createdAt: "2020-08-20T15:25:48",
      original: { messageId: "10280093XXXX" },
      group: { reasons: [] },
      batches: [
        {
          paymentInformationId: "3B-CCY",
          reasons: [],
          payments: [
            {
              endToEndId: "GSDGFKfLURaHb",
              bankReference: "I200820000XXXXX",
              amount: { minor: 1000n, currency: "USD" },
              status: "ACCP",
              reasons: [{ code: "NARR" }],
            },
          ],
        },
      ],
      unread: [],
    });
  });

  it("Goldman Sachs accepts a block", () => {
    const report = readOnlyStatus(bytes("goldman_sachs_pain_002_v3_payment_accepted.xml"));
    expect(report).toEqual({
      version: "pain.002.001.03",
      messageId: "1744XXX",
      createdAt: "2022-03-15T19:38:16Z",
      original: {
        messageId: "XXX001_20220315_B_DZSOXXXX",
      },
      group: { reasons: [] },
      batches: [
        {
          paymentInformationId: "xxx001220315B000XXXX",
          status: "ACCP",
          reasons: [{ code: "NARR", text: "Accepted post profile and tech validations" }],
          payments: [],
        },
      ],
      unread: [],
    });
  });

  it("Nordea rejects a file as a duplicate", () => {
    expect(readOnlyStatus(bytes("nordea_pain_002_v3_group_reject.xml"))).toEqual({
      version: "pain.002.001.03",
      messageId: "XML990920150810101909283",
      createdAt: "2015-08-10T10:19:09",
      original: { messageId: "MSGID-PS-TEST-0708-01" },
      group: {
        status: "RJCT",
        reasons: [{ code: "DU01", text: "ISO Duplicate Message ID" }],
      },
      batches: [],
      unread: [],
    });
  });

  it("Nordea rejects a block", () => {
    expect(readOnlyStatus(bytes("nordea_pain_002_v3_payment_reject.xml"))).toEqual({
      version: "pain.002.001.03",
      messageId: "XML990920150717170814238",
      createdAt: "2015-07-17T15:08:14Z",
      original: { messageId: "MSGID-COM-SCE25-1707-01" },
      group: { reasons: [] },
      batches: [
        {
          paymentInformationId: "PMTINFID-COM-SCE25-1707-01",
          status: "RJCT",
          reasons: [
            {
              code: "NARR",
              text: "CAP Invalid code or combinations in CategoryPurpose or ServiceLevel",
            },
          ],
          payments: [],
        },
      ],
      unread: [],
    });
  });

  it("Cross River accepts three payments and writes its namespace as it should not", () => {
    expect(readOnlyStatus(bytes("cross_river_pain_002_credit_accepted.xml"))).toEqual({
      version: "pain.002.001.03",
      messageId: "abcdefg0000000",
      createdAt: "2020-09-15T15:58:04.637Z",
      original: {
        messageId: "AMBCD10000000",
      },
      group: { status: "ACTC", reasons: [] },
      batches: [
        {
          paymentInformationId: "ABCD10000000",
          status: "ACTC",
          reasons: [],
          payments: [
            {
              instructionId: "100ABCD012345",
              endToEndId: "0000000000000108",
              status: "ACSP",
              reasons: [],
            },
          ],
        },
      ],
      unread: [],
    });
  });

  it("Cross River rejects a file that it could not read", () => {
    const report = readOnlyStatus(bytes("cross_river_pain_002_batch_rejected.xml"));
    expect(report).toMatchObject({
      messageId: "abcdefg012345689",
      original: {},
      group: { status: "RJCT", reasons: [{ code: "NARR" }] },
      batches: [],
    });
    expect(JSON.stringify(report)).toContain("does not match the end tag of 'GrpHdr'");
  });
});

describe.skipIf(reason !== "")(`statements of banks${reason}`, () => {
  it("Nordea", () => {
    const file = statementsOf("nordea_example_camt.xml");
    expect(file).toMatchObject({
      kind: "statement",
      version: "camt.053.001.02",
      messageId: "XML12345678901234567890123456789012",
      createdAt: "2019-05-09T04:33:00.444Z",
      unread: [],
    });
    const [read] = file.statements;
    expect(read).toMatchObject({
      id: "2019-05-09-04.44.12-EUR0574",
      account: { iban: "FI8529501800030574" },
      currency: "EUR",
      balances: [
        { type: "OPBD", amount: { minor: 20050n, currency: "EUR" }, on: "2019-05-08" },
        { type: "CLBD", amount: { minor: 880050n, currency: "EUR" }, on: "2019-05-08" },
      ],
    });
    expect(read?.entries.map(brief)).toEqual([
      [1, "credit", 1000000n, "EUR", "20190501-E00005", ""],
      [2, "credit", 10050n, "EUR", "", ""],
      [3, "debit", 70050n, "EUR", "20190508-E123456", ""],
      [4, "debit", 30000n, "EUR", "", ""],
      [5, "debit", 40000n, "EUR", "", ""],
      [6, "debit", 10000n, "EUR", "", ""],
    ]);
    // 200.50 plus the booked entries is 8,800.50.
    expect(statementBalance(read!)?.difference.minor).toBe(0n);
    expect(read?.entries[2]).toEqual({
      number: 3,
      reference: "3",
      bankReference: "1905082588CEAG0003",
      amount: { minor: 70050n, currency: "EUR" },
      direction: "debit",
      isReversal: false,
      status: "booked",
      bookedOn: "2019-05-08",
      code: { domain: "PMNT", family: "ICDT", subFamily: "ESCT" },
      charges: [],
      batches: [],
      transactions: [
        {
          messageId: "0001",
          bankReference: "1905082588CEAG0003",
          paymentInformationId: "PMNTINFID08052019",
          instructionId: "INSTRID20190508",
          endToEndId: "20190508-E123456",
          amount: { minor: 70050n, currency: "EUR" },
          charges: [],
        },
      ],
    });
  });

  it("ABN AMRO: batches with and without their payments, returned direct debits", () => {
    const file = statementsOf("abn_amro_example_camt.xml");
    const [read] = file.statements;
    expect(read).toMatchObject({ account: { iban: "NL77ABNA0574908765" } });
    expect(read?.balances.map(({ type, amount, on }) => [type, amount.minor, on])).toEqual([
      ["PRCD", 100001n, "2013-03-28"],
      ["CLBD", 10001n, "2013-04-02"],
      ["CLAV", 10001n, "2013-04-02"],
      ["FWAV", 10001n, "2012-04-03"],
      ["FWAV", 10001n, "2012-04-04"],
      ["FWAV", 10001n, "2012-04-05"],
      ["FWAV", 10001n, "2012-04-08"],
      ["FWAV", 10001n, "2012-04-09"],
    ]);
    expect(read?.entries.map(brief)).toEqual([
      [1, "credit", 100n, "EUR", "", ""],
      [2, "credit", 100n, "EUR", "", ""],
      [3, "credit", 100n, "EUR", "", ""],
      [4, "credit", 1000n, "EUR", "", ""],
      [5, "credit", 100n, "EUR", "01-04-2013 21:01 0050001248302363", ""],
      [6, "debit", 100n, "EUR", "", ""],
      [7, "debit", 200n, "EUR", "", ""],
      [8, "debit", 200n, "EUR", "", ""],
      [9, "debit", 100n, "EUR", "540193918971", ""],
      [10, "credit", 700n, "EUR", "SDD SIT 024-1", ""],
      [11, "credit", 700n, "EUR", "", ""],
      [12, "debit", 100n, "EUR", "1234567X908303803", "reversal,returned"],
      [13, "debit", 92100n, "EUR", "1234567X908303804", "reversal,returned"],
    ]);
    expect(read?.entries.map(({ transactions }) => transactions.length)).toEqual([
      ...[0, 1, 1, 10, 1, 1, 2, 0, 1, 7, 0, 1, 1],
    ]);
    expect(read?.entries[7]?.batches).toEqual([
      {
        messageId: "1302P5518750499B0AO",
        payments: 2,
        total: { minor: 200n, currency: "EUR" },
      },
    ]);
    expect(read?.entries[12]?.transactions[0]?.returned).toEqual({ code: "MS03" });
    expect(problems(file)).toEqual([]);
  });

  it("Goldman Sachs in the US: reports the contradictions of its statement", () => {
    const file = statementsOf("goldman_sachs_camt_053_us_v2_sample.xml");
    const [read] = file.statements;
    expect(read).toMatchObject({
      id: "258158850",
      account: { number: "DD01100056869" },
      currency: "USD",
      balances: [
        { type: "OPBD", amount: { minor: -84368620n, currency: "USD" }, on: "2023-09-30" },
        { type: "CLBD", amount: { minor: -84666515n, currency: "USD" }, on: "2023-09-30" },
        { type: "OPAV", amount: { minor: 33443249292n, currency: "USD" }, on: "2023-09-30" },
        { type: "CLAV", amount: { minor: 33443240127n, currency: "USD" }, on: "2023-10-01" },
      ],
    });
    expect(read?.entries.map(brief)).toEqual([
      [1, "credit", 1000n, "USD", "GSGWGDNCTAHQM8", "reversal,returned"],
      [2, "debit", 1000n, "USD", "RP/GS/CTFILERP0002/CTBA0003", ""],
      [3, "credit", 1000n, "USD", "20230928LTERMID2000003", ""],
      [4, "credit", 1000n, "USD", "cs3SJXv1RN230918A0000022", ""],
      [5, "credit", 1000n, "USD", "GTOS4BN19D124XV", ""],
      [6, "credit", 1000n, "USD", "SBD91894_20230831_0011", ""],
      [7, "debit", 1000n, "USD", "D2M0Y6P0D3Q0M3Z2S5T3F0X0S7G3S7V8L0S", ""],
      [8, "debit", 2906n, "EUR", "5741412", ""],
      [9, "debit", 1000n, "USD", "GSIISSUKTI8QBQER05IK", ""],
      [10, "credit", 1000n, "USD", "GSWDEZOJDF", "reversal"],
      [11, "credit", 1000n, "USD", "d-uniqueid-test123-G", ""],
      [12, "credit", 1000n, "USD", "021000020000017", ""],
      [13, "credit", 1000n, "USD", "GSKWTHM25VCGE5", "reversal,returned"],
      [14, "credit", 1000n, "USD", "20230928LTERMID2000002", ""],
      [15, "debit", 1000n, "USD", "CLIENTID200928A0000001", ""],
    ]);
    expect(read?.entries[12]?.transactions[0]?.returned).toEqual({ proprietary: "R02" });
    expect(read?.entries[0]?.transactions[0]).toEqual({
      messageId: "GSNULXSKMMJ479NMKS",
      bankReference: "B20092800002225",
      paymentInformationId: "RP/GS/CTFILERP0002/CTBA0003",
      endToEndId: "GSGWGDNCTAHQM8",
      amount: { minor: 1000n, currency: "USD" },
      instructed: { minor: 1000n, currency: "USD" },
      charges: [],
      returned: { text: "Status changed to REJECTED : REJECT REVERSAL" },
    });
    expect(problems(file)).toEqual([
      "Stmt[1]/TxsSummry/TtlNtries/NbOfNtries is not the 15 entries that there are",
      "Stmt[1]/Ntry[8] is in another currency than the account",
    ]);
  });

  it("Goldman Sachs in the UK: two accounts, one without entries", () => {
    const file = statementsOf("goldman_sachs_camt_053_uk_v2_1.xml");
    const accounts = file.statements.map(({ account, entries }) => [account, entries.length]);
    expect(accounts).toEqual([
      [{ number: "60000635" }, 0],
      [{ iban: "GB36GSLD04296250000970" }, 6],
    ]);
    expect(file.statements[1]?.entries.map(brief)).toEqual([
      [1, "debit", 10000n, "GBP", "c67733f177ea422db587087e7f47567f", ""],
      [2, "debit", 10000n, "GBP", "c67733f177ea422db587087e7f47567f", ""],
      [3, "credit", 10000n, "GBP", "00384068", "reversal"],
      [4, "debit", 10000n, "GBP", "CHCSVP1139982", ""],
      [5, "credit", 10000n, "GBP", "GSUPGKUAUQ6EJDK", ""],
      [6, "debit", 10000n, "GBP", "GSEOOM9QJYXKHLO", ""],
    ]);
    expect(file.statements[1]?.entries[3]?.transactions[0]).toMatchObject({
      amount: { minor: 26255n, currency: "GBP" },
      instructed: { minor: 30300n, currency: "EUR" },
    });
    expect(problems(file)).toEqual([
      "Stmt[2]/Ntry[4] its payments do not sum up to its amount",
      "Stmt[2]/Ntry[5] its payments do not sum up to its amount",
      "Stmt[2]/Ntry[6] its payments do not sum up to its amount",
    ]);
  });
});
