import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import type { FileDocument, PaymentDocument } from "../documents.ts";
import type { Order } from "../payments.ts";
import { swiftTransfer, testSettings } from "../test-rail.ts";
import { iso20022Format } from "./format.ts";

const settings = testSettings("iso20022");
if (settings.format !== "iso20022") throw new Error("another format");
const format = iso20022Format(settings);
const file = { _id: "TEST1", created_at: new Date("2026-11-25T12:00:00.000Z") } as FileDocument;
const payment = {
  _id: "po_01kat3bzr0wm2nq5e7y8000001",
  uetr: "8a562c67-ca16-48ba-b074-000000000001",
  currency: "USD",
  amount_minor: toDecimal128(1_000n),
  plan: { on: "2026-11-25" },
} as PaymentDocument;

async function written(change: Partial<Order>): Promise<string> {
  const order: Order = { ...swiftTransfer, ...change };
  const writing = await format.write(file, [{ payment, order }]);
  if (isRefused(writing)) throw new Error(writing.problems.join("; "));
  return writing.file === undefined
    ? writing.leftOut.map(({ field, problem }) => `${field} ${problem}`).join("; ")
    : new TextDecoder().decode(writing.file.bytes);
}

it("a long street leaves as a hybrid address, by the schema", async () => {
  const address = { ...swiftTransfer.address, street: `${"a".repeat(69)} ${"b".repeat(70)}` };
  const text = await written({ address });
  expect(text).toContain(
    `<Ctry>DE</Ctry><AdrLine>${"a".repeat(69)}</AdrLine><AdrLine>${"b".repeat(70)}</AdrLine>`,
  );
  expect(text).not.toContain("<StrtNm>");
});

it("a name is cut for the file, and one that would be guessed is left out", async () => {
  expect(await written({ beneficiaryName: "ß".repeat(80) })).toContain(
    `<Nm>${"s".repeat(140)}</Nm>`,
  );
  const sepa = { transferMethod: "SEPA", beneficiaryName: "ß".repeat(80) };
  expect(await written(sepa)).toContain(`<Nm>${"s".repeat(70)}</Nm>`);
  expect(await written({ beneficiaryName: "Юлия 😀 Щеглова" })).toContain(
    "<Nm>Iuliia Shcheglova</Nm>",
  );
  expect(await written({ beneficiaryName: "山田太郎" })).toBe(
    "creditor.name has letters without a safe romanisation",
  );
});

it("remittance of which a bank could show nothing is left out", async () => {
  expect(await written({ remittanceInformation: "請求書 7" })).toContain("<Ustrd>... 7</Ustrd>");
  expect(await written({ remittanceInformation: "請求書 😀" })).not.toContain("<RmtInf>");
});
