import { isRefused } from "@disburse/kernel/refusal.ts";
import type { InitiationProfile, Payment } from "../iso20022/initiation/payment.ts";
import { writeInitiation } from "../iso20022/initiation/write.ts";
import { schemaBreaches } from "../iso20022/schemas/validate.ts";
import { readBankFile } from "../read.ts";
import { fileRejection, largeEntry, largeStatusReport } from "./files.ts";
import { measureReading } from "./reading.ts";

/** The number of payments in the measured file. Issue 19 requires less than 3 s and 300 MB. */
const paymentsCount = 10_000;

const profile: InitiationProfile = {
  version: "pain.001.001.09",
  characters: "swift",
  initiatingParty: { name: "Disburse Inc", id: "DISBURSE01" },
  debtor: { name: "Disburse Inc", address: { town: "New York", country: "US" } },
  batchBooking: false,
  serviceLevel: "URGP",
  nameMax: 140,
  addressRequired: true,
  paymentsMax: paymentsCount,
};

function payment(number: number): Payment {
  const hex = number.toString(16).padStart(12, "0");
  return {
    payoutId: `po_01kat3bzr0wm2nq5${hex.slice(2)}`,
    uetr: `8a562c67-ca16-48ba-b074-${hex}`,
    amount: { minor: BigInt(number) + 1n, currency: "USD" },
    debtor: { account: { kind: "number", number: "000123456789" }, agent: { bic: "CHASUS33" } },
    requestedOn: "2026-11-25",
    chargeBearer: "SHAR",
    creditor: {
      name: `Jürgen Weiß & Söhne ${number}`,
      address: { street: "Hauptstraße", postcode: "10115", town: "Berlin", country: "DE" },
      account: { kind: "iban", iban: "DE89370400440532013000" },
      agent: { bic: "DEUTDEFF" },
    },
    remittance: `Invoice ${number}`,
    purpose: "SUPP",
  };
}

/** Builds a statement of `count` debits. Issue 19 requires 10,000 in less than 10 s. */
function statementBytes(count: number): Uint8Array {
  const entries = Array.from({ length: count }, (_, number) => {
    const { payoutId, uetr } = payment(number);
    const reference = payoutId.slice(3).toUpperCase();
    return `<Ntry><Amt Ccy="USD">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-25</Dt></BookgDt><ValDt><Dt>2026-11-25</Dt></ValDt><AcctSvcrRef>R${number}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>XBCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs><MsgId>M1</MsgId><AcctSvcrRef>R${number}</AcctSvcrRef><PmtInfId>M1-1</PmtInfId><InstrId>${reference}</InstrId><EndToEndId>${reference}</EndToEndId><UETR>${uetr}</UETR></Refs><Amt Ccy="USD">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd><RltdPties><Cdtr><Pty><Nm>Jane Doe ${number}</Nm></Pty></Cdtr></RltdPties><RmtInf><Ustrd>Invoice ${number}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
  });
  const account = "<Acct><Id><Othr><Id>000123456789</Id></Othr></Id><Ccy>USD</Ccy></Acct>";
  return new TextEncoder().encode(
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>S1</MsgId></GrpHdr><Stmt><Id>S1</Id>${account}${entries.join("")}</Stmt></BkToCstmrStmt></Document>`,
  );
}

function print(what: string, startedAt: number): void {
  const ms = Math.round(performance.now() - startedAt);
  const mebibytes = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`${what}: ${ms} ms, peak of the process ${mebibytes} MiB\n`);
}

const payments = Array.from({ length: paymentsCount }, (_, number) => payment(number));
const createdAt = new Date("2026-11-24T09:30:00.000Z");
const started = performance.now();
const file = writeInitiation(profile, { messageId: "MEASURE1", createdAt, payments });
if (isRefused(file))
  throw new Error(`the payment file was not written: ${JSON.stringify(file.faults[0])}`);
print(`${paymentsCount} payments, ${file.bytes.length} bytes, written`, started);
const breaches = await schemaBreaches(file.version, file.bytes);
if (breaches.length > 0) throw new Error(JSON.stringify(breaches[0]));
print("written and validated", started);

const statement = statementBytes(paymentsCount);
const readFrom = performance.now();
const read = readBankFile(statement);
if (isRefused(read)) throw new Error(read.detail);
print(`${paymentsCount} entries, ${statement.length} bytes, read`, readFrom);

process.stdout.write(await measureReading("64 MiB of pain.002", largeStatusReport()));
process.stdout.write(await measureReading("an entry with 60 MB of details", largeEntry()));
const ids = Array.from({ length: 20_000 }, (_, number) => payment(number).payoutId);
process.stdout.write(
  await measureReading("a small pain.002 about 20,000 payments", fileRejection(), ids),
);
