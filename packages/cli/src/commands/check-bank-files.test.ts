import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testWorld } from "../test-world.ts";

const world = testWorld(() => undefined);
const put = (name: string, content: string | object): string => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(world.folder, name), text);
  return name;
};

const iban = "DE89370400440532013000";
const entryOf = (reference: string, amount: string, direction = "DBIT") =>
  `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs><RltdPties><Cdtr><Nm>Jane Doe</Nm></Cdtr></RltdPties></TxDtls></NtryDtls></Ntry>`;
const statementOf = (...entries: string[]) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>S1</MsgId></GrpHdr><Stmt><Id>S1</Id><Acct><Id><Othr><Id>000123456789</Id></Othr></Id></Acct>${entries.join("")}</Stmt></BkToCstmrStmt></Document>`;

const sent = put("sent.json", [
  {
    id: "p1",
    end_to_end_id: "E1",
    amount: "100.00",
    currency: "USD",
    state: "sent",
  },
]);

it("prints the effect of each entry and exits with 0", async () => {
  const file = put("statement.xml", statementOf(entryOf("E1", "100.00")));
  const { code, out } = await world.run("bank-files", "check", file, "--sent", sent, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    files: [
      {
        name: "statement.xml",
        format: "camt.053",
        version: "camt.053.001.08",
        findings: [],
        entries: [
          { reference: "E1", verdict: "settled", code: "", amount: "100.00", currency: "USD" },
        ],
      },
    ],
  });
});

it("exits with 1 for findings, without names and account numbers", async () => {
  const file = put("others.xml", statementOf(entryOf(iban, "7.00"), entryOf("E1", "99.99")));
  const { code, out } = await world.run("bank-files", "check", file, "--sent", sent);
  expect(code).toBe(1);
  expect(out).toMatch(/\*\*\*\*3000 +unmatched/);
  expect(out).toMatch(/E1 +unknown_outcome/);
  expect(out).toContain("unknown_outcome: amount-differs");
  expect(out).not.toContain("Jane");
  expect(out).not.toContain(iban);
});

it("reports no unmatched payments without --sent", async () => {
  const file = put("sample.xml", statementOf(entryOf("THEIRS", "7.00")));
  const { code, out } = await world.run("bank-files", "check", file);
  expect(code).toBe(0);
  expect(out).toMatch(/\*\*\*\* +unmatched/);
});

const statusOf = (transaction: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><OrgnlGrpInfAndSts/><OrgnlPmtInfAndSts><TxInfAndSts>${transaction}</TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;

async function entriesOf(...args: string[]) {
  const { out } = await world.run("bank-files", "check", ...args, "--sent", sent, "--json");
  const { files } = JSON.parse(out) as { files: { entries: Record<string, string>[] }[] };
  return files.map(({ entries }) =>
    entries.map(({ verdict, code }) => `${verdict} ${code}`.trim()),
  );
}

it("considers the previous files", async () => {
  const debit = put("debit.xml", statementOf(entryOf("E1", "100.00")));
  const accepted = put(
    "accepted.xml",
    statusOf(
      "<OrgnlEndToEndId>E1</OrgnlEndToEndId><TxSts>ACSP</TxSts><AcctSvcrRef>B7</AcctSvcrRef>",
    ),
  );
  const rejection = put(
    "rejection.xml",
    statusOf(
      "<OrgnlEndToEndId>E1</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>",
    ),
  );
  const byBankReference = put(
    "by-bank-reference.xml",
    statementOf(entryOf("NOTPROVIDED", "100.00")).replace(
      "<NtryDtls>",
      "<AcctSvcrRef>B7</AcctSvcrRef><NtryDtls>",
    ),
  );
  expect(await entriesOf(debit, rejection)).toEqual([["settled"], ["unknown_outcome AC04"]]);
  expect(await entriesOf(rejection, debit)).toEqual([["rejected AC04"], ["unknown_outcome"]]);
  expect(await entriesOf(byBankReference)).toEqual([["unmatched"]]);
  expect(await entriesOf(accepted, byBankReference)).toEqual([["accepted ACSP"], ["settled"]]);
});

it("detects a double debit without a bank reference", async () => {
  const debit = entryOf("E1", "100.00").replace(
    "<NtryDtls>",
    "<AcctSvcrRef>NONREF</AcctSvcrRef><NtryDtls>",
  );
  const file = put("twice.xml", statementOf(debit, debit));
  expect(await entriesOf(file)).toEqual([["settled", "unknown_outcome"]]);
});

it.each([
  ["E1", "E1"],
  [" e1 ", "e1"],
  ["PO-1", "PO-1"],
  ["JANE DOE", "****"],
  ["JANE DOE 1984", "****"],
  ["12345678", "****5678"],
  ["1234", "****"],
  [iban, "****3000"],
  ["DE89 3704 0044 0532 0130 00", "****3000"],
])("prints the reference %j as %j", async (reference, shown) => {
  const instructed = put("instructed.json", [
    ...[{ id: "p1", end_to_end_id: "E1", amount: "7.00", currency: "USD", state: "sent" }],
    ...[{ id: "p2", instruction_id: "PO-1", amount: "7.00", currency: "USD", state: "sent" }],
  ]);
  const file = put("reference.xml", statementOf(entryOf(reference, "7.00")));
  const { out } = await world.run("bank-files", "check", file, "--sent", instructed, "--json");
  expect(JSON.parse(out)).toMatchObject({ files: [{ entries: [{ reference: shown }] }] });
});

it("omits a code that is free text", async () => {
  const own = (code: string) =>
    put(
      "own.xml",
      statusOf(
        `<OrgnlEndToEndId>E1</OrgnlEndToEndId><TxSts>ACFW</TxSts><StsRsnInf><Rsn><Prtry>${code}</Prtry></Rsn></StsRsnInf>`,
      ),
    );
  expect(await entriesOf(own("X19"))).toEqual([["information X19"]]);
  const file = own("Call Jane Doe");
  expect(await entriesOf(file)).toEqual([["information"]]);
  const { out } = await world.run("bank-files", "check", file, "--sent", sent);
  expect(out).toContain("waiting: a code of the bank's own");
  expect(out).not.toContain("Jane");
});

it("has no account if a NACHA rail names none", async () => {
  const balance = (type: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-25</Dt></Dt></Bal>`;
  const text = statementOf().replace(
    "</Acct>",
    `</Acct>${balance("OPBD", "1")}${balance("CLBD", "2")}`,
  );
  const file = put("balances.xml", text);
  const check = async (rail: object) => {
    const profile = put("nacha.json", { format: "nacha", ...rail });
    const { code, err } = await world.run("bank-files", "check", file, "--profile", profile);
    return [code, err.includes("statement_account")];
  };
  expect(await check({ statement_account: "000123456789" })).toEqual([1, false]);
  expect(await check({ statement_account: "000999999999" })).toEqual([0, false]);
  expect(await check({})).toEqual([0, false]);
  expect(await check({ statement_account: "" })).toEqual([2, true]);
  expect(await check({ statement_account: " " })).toEqual([2, true]);
});

it("uses the account and codes of a rail's settings", async () => {
  const rail = (number: string) => [{ format: "iso20022", profile: { account: { number } } }];
  const file = put("statement.xml", statementOf(entryOf("E1", "100.00")));
  const own = put("own.json", rail("000123456789"));
  const other = put("other.json", rail("000999999999"));
  const check = (profile: string) =>
    world.run("bank-files", "check", file, "--sent", sent, "--profile", profile);
  expect((await check(own)).code).toBe(0);
  expect(await check(other)).toMatchObject({
    code: 1,
    out: expect.stringContaining("another-account"),
  });
  const wrong = put("wrong.json", { not_executed_codes: ["AM05"] });
  expect(await check(wrong)).toMatchObject({
    code: 2,
    err: expect.stringContaining("not_executed_codes.0"),
  });
});

it.each([
  ["a file that is none", ["none.xml"]],
  ["a file of no format", ["letter.txt"]],
  ["no file", []],
  ["payments that are not JSON", ["statement.xml", "--sent", "letter.txt"]],
  ["payments without an amount", ["statement.xml", "--sent", "no-amount.json"]],
])("exits with 2 for %s", async (_what, args) => {
  put("letter.txt", "Dear customer");
  put("no-amount.json", [{ id: "p1", end_to_end_id: "E1", currency: "USD", state: "sent" }]);
  put("statement.xml", statementOf(entryOf("E1", "100.00")));
  expect((await world.run("bank-files", "check", ...args)).code).toBe(2);
});
