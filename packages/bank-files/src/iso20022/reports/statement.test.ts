import { describe, expect, it } from "vitest";
import { readOnlyStatement } from "../../test-read.ts";
import type { Charge, Entry } from "./entry.ts";
import { document, entry, statement } from "./test-reports.ts";

function only(bytes: Uint8Array) {
  const file = readOnlyStatement(bytes);
  return { ...file, statement: file.statements[0]! };
}

const details = (parts: string) => `<NtryDtls><TxDtls>${parts}</TxDtls></NtryDtls>`;

describe("a statement", () => {
  it("of version .08 is read field by field", () => {
    const uetr = "8a562c67-ca16-48ba-b074-000000000001";
    const file = only(
      statement(
        entry(
          "12.34",
          "DBIT",
          `<AcctSvcrRef>R1</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>XBCT</SubFmlyCd></Fmly></Domn><Prtry><Cd>P1</Cd></Prtry></BkTxCd>${details(
            `<Refs><MsgId>M1</MsgId><AcctSvcrRef>R2</AcctSvcrRef><PmtInfId>M1-1</PmtInfId><InstrId>I1</InstrId><EndToEndId>E1</EndToEndId><UETR>${uetr}</UETR></Refs><Amt Ccy="USD">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd><AmtDtls><InstdAmt><Amt Ccy="EUR">10.00</Amt></InstdAmt></AmtDtls><Chrgs><Rcrd><Amt Ccy="USD">0.34</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>`,
          )}`,
        ),
        `<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>
         <Bal><Tp><CdOrPrtry><Prtry>OWN</Prtry></CdOrPrtry></Tp><Amt Ccy="USD">2.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><DtTm>2026-11-25T23:59:00</DtTm></Dt></Bal>`,
      ),
    );
    expect(file).toMatchObject({
      kind: "statement",
      version: "camt.053.001.08",
      messageId: "S1",
      createdAt: "2026-11-25T20:00:00Z",
      unread: [],
    });
    expect(file.statement).toEqual({
      id: "S1-1",
      account: { number: "000123456789" },
      currency: "USD",
      balances: [
        { type: "OPBD", amount: { minor: 10000n, currency: "USD" }, on: "2026-11-24" },
        { type: "OWN", amount: { minor: -200n, currency: "USD" }, on: "2026-11-25" },
      ],
      entries: [
        {
          number: 1,
          bankReference: "R1",
          amount: { minor: 1234n, currency: "USD" },
          direction: "debit",
          isReversal: false,
          status: "booked",
          bookedOn: "2026-11-25",
          code: { domain: "PMNT", family: "ICDT", subFamily: "XBCT", proprietary: "P1" },
          charges: [],
          batches: [],
          transactions: [
            {
              messageId: "M1",
              paymentInformationId: "M1-1",
              instructionId: "I1",
              endToEndId: "E1",
              uetr,
              bankReference: "R2",
              amount: { minor: 1234n, currency: "USD" },
              instructed: { minor: 1000n, currency: "EUR" },
              direction: "debit",
              charges: [{ amount: { minor: 34n, currency: "USD" }, direction: "debit" }],
            },
          ],
        },
      ],
    });
  });

  it("of version .02 says the status in place, and a payment's amount in its details", () => {
    const bytes = document(
      "camt.053.001.02",
      `<BkToCstmrStmt><GrpHdr/><Stmt><Acct><Id><IBAN>FI8529501800030574</IBAN></Id></Acct><Ntry><NtryRef>1</NtryRef><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts><Chrgs><Amt Ccy="EUR">1.00</Amt></Chrgs>${details(
        '<Refs><EndToEndId>E1</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">9.00</Amt></TxAmt></AmtDtls><RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>',
      )}</Ntry></Stmt></BkToCstmrStmt>`,
    );
    const file = only(bytes);
    expect(file.statement.entries).toEqual([
      {
        number: 1,
        reference: "1",
        amount: { minor: 900n, currency: "EUR" },
        direction: "credit",
        isReversal: true,
        status: "booked",
        code: {},
        charges: [{ amount: { minor: 100n, currency: "EUR" } }],
        batches: [],
        transactions: [
          {
            endToEndId: "E1",
            amount: { minor: 900n, currency: "EUR" },
            charges: [],
            returned: { code: "AC04", text: "closed" },
          },
        ],
      },
    ]);
    expect(file.unread).toEqual([]);
  });

  it.each([
    ["PDNG", "pending"],
    ["INFO", "information"],
    ["FUTR", "future"],
  ])("says that an entry with %s is %s", (written, status) => {
    const file = only(statement(entry("1", "DBIT", "", written)));
    expect(file.statement.entries).toMatchObject([{ status }]);
  });

  it("keeps the amounts of a payment apart, and its own code and purpose", () => {
    const one = (parts: string) => {
      const file = only(statement(entry("5", "DBIT", details(parts))));
      return file.statement.entries[0]?.transactions[0];
    };
    const usd = (minor: bigint) => ({ minor, currency: "USD" });
    expect(one("<AmtDtls><InstdAmt><Amt Ccy='USD'>5</Amt></InstdAmt></AmtDtls>")).toEqual({
      instructed: usd(500n),
      charges: [],
    });
    const both =
      "<AmtDtls><InstdAmt><Amt Ccy='USD'>4</Amt></InstdAmt><TxAmt><Amt Ccy='USD'>5</Amt></TxAmt></AmtDtls>";
    expect(one(both)).toMatchObject({ amount: usd(500n), instructed: usd(400n) });
    expect(one(`<Amt Ccy="USD">5</Amt>${both}`)).toMatchObject({ amount: usd(500n) });
    expect(
      one(
        "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd><Purp><Cd>COMM</Cd></Purp>",
      ),
    ).toEqual({
      charges: [],
      code: { domain: "PMNT", family: "ICDT", subFamily: "CHRG" },
      purpose: "COMM",
    });
    expect(
      one("<BkTxCd><Prtry><Cd>FEE</Cd></Prtry></BkTxCd><Purp><Prtry>P</Prtry></Purp>"),
    ).toEqual({
      charges: [],
      code: { proprietary: "FEE" },
      purpose: "P",
    });
  });

  it("has the instructed amount of an entry without details", () => {
    const parts = "<AmtDtls><InstdAmt><Amt Ccy='EUR'>4</Amt></InstdAmt></AmtDtls>";
    expect(only(statement(entry("5", "DBIT", parts))).statement.entries).toMatchObject([
      { amount: { minor: 500n }, instructed: { minor: 400n, currency: "EUR" }, transactions: [] },
    ]);
  });

  it.each([
    ["<Amt Ccy='USD'>1</Amt>", [100n]],
    ["<TtlChrgsAndTaxAmt Ccy='USD'>3</TtlChrgsAndTaxAmt>", [300n]],
    [
      "<TtlChrgsAndTaxAmt Ccy='USD'>3</TtlChrgsAndTaxAmt><Rcrd><Amt Ccy='USD'>1</Amt></Rcrd><Rcrd><Amt Ccy='USD'>2</Amt></Rcrd>",
      [100n, 200n],
    ],
  ])("has charges as %s", (parts, charges) => {
    const chargesOf = (bytes: Uint8Array, of: (entry: Entry) => readonly Charge[]) =>
      only(bytes).statement.entries.flatMap((each) => of(each).map(({ amount }) => amount.minor));
    const own = statement(entry("5", "DBIT", `<Chrgs>${parts}</Chrgs>`));
    expect(chargesOf(own, (each) => each.charges)).toEqual(charges);
    const below = statement(entry("5", "DBIT", details(`<Chrgs>${parts}</Chrgs>`)));
    const ofTransaction = (each: Entry) => each.transactions.flatMap((one) => one.charges);
    expect(chargesOf(below, ofTransaction)).toEqual(charges);
  });

  it.each(["NOTPROVIDED", "not provided", "NONREF", "0000000000", "-", ""])(
    "has no reference if the bank writes %j",
    (written) => {
      const refs = ["AcctSvcrRef", "EndToEndId"].map((name) => `<${name}>${written}</${name}>`);
      const parts = `${refs[0]}${details(`<Refs>${refs.join("")}</Refs>`)}`;
      const [read] = only(statement(entry("5", "DBIT", parts))).statement.entries;
      expect(read?.bankReference).toBeUndefined();
      expect(read?.transactions).toEqual([{ charges: [] }]);
    },
  );

  it("has payments booked in one sum", () => {
    const batch =
      '<NtryDtls><Btch><MsgId>M1</MsgId><PmtInfId>M1-2</PmtInfId><NbOfTxs>2</NbOfTxs><TtlAmt Ccy="USD">3.00</TtlAmt></Btch></NtryDtls>';
    const file = only(statement(entry("3.00", "DBIT", batch)));
    expect(file.statement.entries[0]?.batches).toEqual([
      {
        messageId: "M1",
        paymentInformationId: "M1-2",
        payments: 2,
        total: { minor: 300n, currency: "USD" },
      },
    ]);
  });

  it.each([
    [entry("1.001", "DBIT"), "Ntry[1]/Amt is not an amount of its currency"],
    [entry("1", "DBIT").replace("DBIT", "X"), "Ntry[1]/CdtDbtInd is neither CRDT nor DBIT"],
    [entry("1", "DBIT", "", "XXXX"), "Ntry[1]/Sts is not a known status"],
    [entry("1", "DBIT", "<RvslInd>yes</RvslInd>"), "Ntry[1]/RvslInd is neither true nor false"],
    [entry("1", "DBIT", "<RvslInd/>"), "Ntry[1]/RvslInd is neither true nor false"],
  ])("leaves out and names %s", (broken, problem) => {
    const file = only(statement(`${broken}${entry("2", "CRDT")}`));
    expect(file.statement.entries.map(({ number }) => number)).toEqual([2]);
    expect(file.statement.hasGaps).toBe(true);
    const named = file.unread.map(({ place, problem: what }) => `${place} ${what}`);
    expect(named).toEqual([
      `Stmt[1]/${problem}`,
      "Stmt[1]/Ntry[1] is left out: amount, direction, status or reversal cannot be read",
    ]);
  });

  const charge = (amount: string, direction = "DBIT") =>
    `<Chrgs><Rcrd><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd></Rcrd></Chrgs>`;

  it.each([
    ["a debit with the payment's charge on top", "DBIT", "5", "", charge("1"), true],
    ["a debit with a charge of the entry on top", "DBIT", "5", charge("1"), "", true],
    ["a credit without the charge", "CRDT", "7", "", charge("1"), true],
    ["a credit with the charge on top", "CRDT", "5", "", charge("1"), false],
    ["a charge of another amount", "DBIT", "5", "", charge("2"), false],
    ["a charge that was given", "DBIT", "5", "", charge("1", "CRDT"), false],
  ] as const)("sums up with its charges: %s", (_, direction, amount, own, below, isWhole) => {
    const payment = details(`<Amt Ccy="USD">${amount}</Amt>${below}`);
    const { unread } = only(statement(entry("6", direction, `${own}${payment}`)));
    expect(unread.map(({ problem }) => problem)).toEqual(
      isWhole ? [] : ["its payments do not sum up to its amount"],
    );
  });

  it("reports a message without an account", () => {
    const bytes = document("camt.053.001.08", "<BkToCstmrStmt><Statement/></BkToCstmrStmt>");
    expect(readOnlyStatement(bytes)).toMatchObject({
      statements: [],
      unread: [{ place: "BkToCstmrStmt", problem: "has no Stmt" }],
    });
  });

  it.each([
    [
      statement(
        entry("1", "DBIT"),
        "<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>",
      ),
      "Stmt[1]/TxsSummry/TtlNtries/NbOfNtries is not the 1 entries that there are",
    ],
    [
      statement(entry("5", "DBIT", details('<Amt Ccy="USD">4</Amt>'))),
      "Stmt[1]/Ntry[1] its payments do not sum up to its amount",
    ],
    [
      statement(entry("5", "DBIT", details('<Amt Ccy="EUR">5</Amt>'))),
      "Stmt[1]/Ntry[1] its payments do not sum up to its amount",
    ],
    [
      statement(entry("5", "DBIT").replace("USD", "EUR")),
      "Stmt[1]/Ntry[1] is in another currency than the account",
    ],
    [
      statement(entry("5", "DBIT").replace("2026-11-25", "2026-11-31")),
      "Stmt[1]/Ntry[1]/BookgDt is not a day",
    ],
  ])("reports contradictions", (bytes, problem) => {
    const file = only(bytes);
    expect(file.statement.entries).toHaveLength(1);
    expect(file.unread.map(({ place, problem: what }) => `${place} ${what}`)).toEqual([problem]);
  });

  it("may be one of several in a file, each with its entries", () => {
    const one = (id: string, entries: string) =>
      `<Ntfctn><Id>${id}</Id><Acct><Id><IBAN>FI8529501800030574</IBAN></Id></Acct>${entries}</Ntfctn>`;
    const file = only(
      document(
        "camt.054.001.08",
        `<BkToCstmrDbtCdtNtfctn>${one("A", entry("1", "DBIT") + entry("2", "DBIT"))}${one("B", entry("3", "CRDT"))}</BkToCstmrDbtCdtNtfctn>`,
      ),
    );
    expect(file.kind).toBe("notification");
    const read = file.statements.map(({ id, entries }) => [
      id,
      ...entries.map(({ number, amount }) => [number, amount.minor]),
    ]);
    expect(read).toEqual([
      ["A", [1, 100n], [2, 200n]],
      ["B", [1, 300n]],
    ]);
  });

  it("may be a notification of version .02, where a bank's reference stands in its details", () => {
    const file = only(
      document(
        "camt.054.001.02",
        `<BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>N1</MsgId><CreDtTm>2026-11-25T08:00:00</CreDtTm></GrpHdr><Ntfctn><Id>N1-1</Id><CreDtTm>2026-11-25T08:00:00</CreDtTm><Acct><Id><IBAN>FI8529501800030574</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><DtTm>2026-11-25T07:59:00</DtTm></BookgDt><BkTxCd/>${details(
          "<Refs><AcctSvcrRef>R1</AcctSvcrRef><EndToEndId>E1</EndToEndId></Refs>",
        )}</Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn>`,
      ),
    );
    expect(file).toMatchObject({ kind: "notification", version: "camt.054.001.02", unread: [] });
    expect(file.statement.entries).toMatchObject([
      { bookedOn: "2026-11-25", transactions: [{ bankReference: "R1", endToEndId: "E1" }] },
    ]);
  });
});
