import { fromBinary, toJson } from "@bufbuild/protobuf";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Decimal128 } from "mongodb";
import { expect, it } from "vitest";
import { payoutDocument, toPayout } from "./document.ts";
import { pendingEvent } from "./pending-event.ts";
import { approvalDigest } from "./rules/deciding.ts";
import { type Payout, payoutFrom } from "./rules/payout.ts";
import { actor, claimedAt, order, quote } from "./test-documents.ts";
import { payoutMessage } from "./wire.ts";

const later = new Date("2026-03-01T10:05:00Z");

const queued = payoutFrom(quote, order);
const settled: Payout = {
  ...queued,
  progress: { stage: "settled", reference: "0xabc" },
  version: 2,
  revision: 7,
  rail: "sandbox",
  submittedAt: new Date("2026-03-01T10:01:00Z"),
  exception: { kind: "contradicted", since: later },
  uncleared: { status: "review", since: later },
  updatedAt: later,
};

const settledMessage = {
  id: queued.id,
  merchantId: "mer_1",
  accountId: "acc_1",
  quoteId: "quo_1",
  corridorId: "cor_1",
  beneficiaryId: "ben_1",
  referenceId: "order-1",
  status: "PAYOUT_STATUS_SUCCEEDED",
  subStatus: "PAYOUT_SUB_STATUS_SETTLED",
  sourceCurrencyCode: "USD",
  destinationCurrencyCode: "USDC",
  sourceAmount: "100.50",
  receivingAmount: "99.500000",
  receivingFixed: true,
  exchangeRate: "0.995",
  totalFees: "0.50",
  uniqueTransactionReference: "0xabc",
  beneficiaryName: "Ada Lovelace",
  beneficiaryAccountNumberMasked: "********1234",
  transferMethod: "CRYPTO",
  network: "ETHEREUM",
  version: 2,
  createdAt: "2026-03-01T10:00:00Z",
  updatedAt: "2026-03-01T10:05:00Z",
  createdBy: { kind: "KIND_API_KEY", id: "key_1" },
};

it("a new payout is stored with its first event and step, due at once", () => {
  const event = pendingEvent(queued);
  const stored = {
    _id: queued.id,
    schema_version: 1,
    merchant_id: "mer_1",
    account_id: "acc_1",
    corridor_id: "cor_1",
    beneficiary_id: "ben_1",
    order: {
      merchant_id: "mer_1",
      quote_id: "quo_1",
      operation_id: "op_1",
      content: "content_1",
      actor,
      details: { reference_id: "order-1", remittance_information: "", purpose_code: "" },
      allow_duplicate: false,
    },
    operations: [{ id: "mer_1:op_1", content: "content_1" }],
    destination_keys: ["destination_1"],
    duplicate_keys: ["duplicate_1"],
    request_id: "req_1",
    source: "USD",
    destination: "USDC",
    source_minor: Decimal128.fromString("10050"),
    fees_minor: Decimal128.fromString("50"),
    receiving_minor: Decimal128.fromString("99500000"),
    receiving_fixed: true,
    exchange_rate: "0.995",
    beneficiary_name: "Ada Lovelace",
    account_number_masked: "********1234",
    transfer_method: "CRYPTO",
    network: "ETHEREUM",
    status: "initiated",
    progress: { stage: "queued" },
    version: 1,
    revision: 1,
    journal: [
      { stage: "queued", version: 1, at: claimedAt, cause: "executed", detail: "executed" },
    ],
    calls: [],
    work_due_at: claimedAt,
    outbox: [event],
    created_at: claimedAt,
    updated_at: claimedAt,
    content_hash: expect.stringMatching(/^[\w-]{43}$/),
  };
  expect(payoutDocument(queued, { request_id: "req_1" })).toEqual(stored);
  const { request_id: _, ...withoutRequest } = stored;
  expect(payoutDocument(queued, {})).toStrictEqual(withoutRequest);
});

it("the hash of a payout covers its terms, and nothing that changes later", () => {
  const hashOf = (payout: Payout) => payoutDocument(payout, {}).content_hash;
  const { beneficiary } = quote;
  const others: Payout[] = [
    payoutFrom({ ...quote, receivingMinor: 1n }, order),
    payoutFrom({ ...quote, exchangeRate: "0.9951" }, order),
    payoutFrom({ ...quote, beneficiary: { ...beneficiary, name: "Eve" } }, order),
    payoutFrom(quote, { ...order, details: { ...order.details, metadata: { order: "7" } } }),
    payoutFrom(quote, { ...order, actor: { ...actor, id: "key_2" } }),
  ];
  expect(new Set([queued, ...others].map(hashOf)).size).toBe(6);
  expect(hashOf(settled)).toBe(hashOf(queued));
});

it("a stored payout reads as it was", () => {
  expect(toPayout(payoutDocument(queued, { request_id: "req_1" }))).toStrictEqual(queued);
  const { rail, submittedAt, exception, uncleared } = settled;
  const stored = {
    ...payoutDocument(settled, { request_id: "req_1" }),
    ...{ rail, submitted_at: submittedAt!, exception: exception!, uncleared: uncleared! },
  };
  expect(toPayout(stored)).toStrictEqual(settled);
});

it("the beneficiary's details are stored with a payout and absent from its messages", () => {
  const texts = { remittanceInformation: "Invoice 7, Ada Lovelace", purposeCode: "SUPP" };
  const sent = payoutFrom(quote, { ...order, details: { ...order.details, ...texts } });
  const stored = payoutDocument(sent, {});
  expect(stored.order.details).toStrictEqual({
    ...{ reference_id: "order-1", purpose_code: "SUPP" },
    remittance_information: texts.remittanceInformation,
  });
  expect(toPayout(stored)).toStrictEqual(sent);
  expect(payoutMessage(sent)).toEqual(payoutMessage(queued));
});

it("a name in Latin letters is stored with a payout, and bound by its approval", () => {
  const named = (nameLatin: string) =>
    payoutFrom({ ...quote, beneficiary: { ...quote.beneficiary, nameLatin } }, order);
  const stored = payoutDocument(named("Yamada"), {});
  expect(stored.beneficiary_name_latin).toBe("Yamada");
  expect(toPayout(stored)).toStrictEqual(named("Yamada"));
  const digests = [queued, named("Yamada"), named("Yamamoto")].map(approvalDigest);
  expect(new Set(digests).size).toBe(3);
});

it("an event tells the payout of its version, without name and account number", () => {
  const { id, key, at, body } = pendingEvent(settled);
  expect({ id, key, at }).toEqual({
    id: `evt_${queued.id.slice("po_".length)}_2`,
    key: "payout.succeeded",
    at: later,
  });
  const { beneficiaryName: _, beneficiaryAccountNumberMasked: __, ...others } = settledMessage;
  const message = fromBinary(PayoutStatusChangedSchema, body.value());
  expect(toJson(PayoutStatusChangedSchema, message)).toEqual({
    eventId: id,
    occurredAt: "2026-03-01T10:05:00Z",
    payout: others,
  });
});

it("a payout is shown whole, and its reference only after it was paid", () => {
  expect(toJson(PayoutSchema, payoutMessage(settled))).toEqual(settledMessage);
  const { uniqueTransactionReference: _, ...unpaid } = settledMessage;
  expect(toJson(PayoutSchema, payoutMessage(queued))).toEqual({
    ...unpaid,
    status: "PAYOUT_STATUS_INITIATED",
    subStatus: "PAYOUT_SUB_STATUS_QUEUED",
    version: 1,
    updatedAt: "2026-03-01T10:00:00Z",
  });
});
