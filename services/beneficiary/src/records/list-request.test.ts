import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ArchivedFilter,
  BeneficiaryKind,
  DepositorStatus,
  ListBeneficiariesRequestSchema,
  ListDepositorsRequestSchema,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { expect, it } from "vitest";
import { readBeneficiaryFilter } from "../beneficiaries/rpc.ts";
import { readDepositorFilter } from "../depositors/depositors.ts";

const at = new Date("2026-11-20T11:26:00.000Z");
const open = { createdFrom: undefined, createdTo: undefined };
const beneficiaries = (sent: object) =>
  readBeneficiaryFilter(create(ListBeneficiariesRequestSchema, sent));
const depositors = (sent: object) => readDepositorFilter(create(ListDepositorsRequestSchema, sent));

it.each([
  [{}, { archived: false }],
  [{ archived: ArchivedFilter.EXCLUDED }, { archived: false }],
  [{ archived: ArchivedFilter.ONLY }, { archived: true }],
  [{ archived: ArchivedFilter.ANY }, {}],
  [{ kind: BeneficiaryKind.CRYPTO }, { archived: false, kind: "crypto" }],
  [{ kind: BeneficiaryKind.FIAT }, { archived: false, kind: "fiat" }],
  [{ accountType: "Corporate" }, { archived: false, account_type: "Corporate" }],
  [{ destinationCurrency: "INR" }, { archived: false, destination_currency: "INR" }],
  [
    { screeningStatus: ScreeningStatus.REVIEW, archived: ArchivedFilter.ANY },
    { "screening.status": "review" },
  ],
])("beneficiaries by %j are filtered by %j", (sent, where) => {
  expect(beneficiaries(sent)).toEqual({ where, ...open });
});

it.each([
  [{}, {}],
  [{ status: DepositorStatus.PENDING }, { "screening.status": "pending" }],
  [{ status: DepositorStatus.WHITELISTED }, { "screening.status": "cleared" }],
  [{ status: DepositorStatus.REVIEW }, { "screening.status": "review" }],
  [{ status: DepositorStatus.REJECTED }, { "screening.status": "blocked" }],
  [{ depositorType: "Individual" }, { "fields.depositor_type": "Individual" }],
])("depositors by %j are filtered by %j", (sent, where) => {
  expect(depositors(sent)).toEqual({ where, ...open });
});

it("passes the times of creation through", () => {
  const createdFrom = timestampFromDate(at);
  expect(depositors({ createdFrom })).toEqual({ where: {}, ...open, createdFrom: at });
  expect(beneficiaries({ createdTo: createdFrom })).toMatchObject({ createdTo: at });
});

it.each([
  [beneficiaries, { kind: 9 }, "kind: must be one of the defined values"],
  [beneficiaries, { archived: 4 }, "archived: must be one of the defined values"],
  [
    beneficiaries,
    { accountType: "individual", screeningStatus: 5 },
    "account_type: must be one of the defined values; screening_status: must be one of the defined values",
  ],
  [
    beneficiaries,
    { createdFrom: { seconds: 10n ** 15n }, createdTo: { seconds: -(10n ** 15n) } },
    "created_from: must be a time; created_to: must be a time",
  ],
  [depositors, { status: -1 }, "status: must be one of the defined values"],
  [
    depositors,
    { depositorType: "constructor" },
    "depositor_type: must be one of the defined values",
  ],
])("refuses an unknown value instead of ignoring it (%#)", (read, sent, detail) => {
  expect(read(sent)).toEqual({ refused: "INVALID_REQUEST", detail });
});
