import {
  CreateDepositorResponseSchema,
  type Depositor,
  DepositorFieldsSchema,
  DepositorSchema,
  DepositorStatus,
  ListDepositorsRequestSchema,
  ListDepositorsResponseSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { depositor as depositorBody } from "@disburse/forms/bodies/depositor.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyFields, get, post, type Resource } from "../openapi/route.ts";
import { storedValues, withStored } from "../openapi/stored-fields.ts";

export const depositor = withStored(
  [depositorBody],
  ({ fields }: Pick<Depositor, "fields">) => storedValues(DepositorFieldsSchema, f.present(fields)),
  f.record(
    DepositorSchema,
    "Depositor",
    "A stored depositor: the fields of its form, without numbers of documents and birth dates.",
    {
      id: f.id("dep", "Depositor id."),
      status: f.word(
        DepositorStatus,
        "`pending` until it is screened; then `whitelisted`, `review` (a person decides) or `rejected`.",
      ),
      ...f.recordTimes,
    },
  ),
);

const created = f.record(CreateDepositorResponseSchema, "CreatedDepositor", "A new depositor.", {
  id: f.from("depositorId", f.id("dep", "Depositor id.")),
});

const depositorPage = f.pageOf(
  ListDepositorsResponseSchema,
  "DepositorPage",
  "depositors",
  depositor,
);

const listQuery = q.queryOf(ListDepositorsRequestSchema, {
  ...q.page,
  status: q.word(DepositorStatus, "Only depositors of this status."),
  depositor_type: q.choice(["Individual", "Corporate"], "Only depositors of this type."),
  ...q.created,
});

export const depositors: Resource = {
  scope: "depositor",
  tag: "Depositors",
  components: [depositor, created, depositorPage],
  routes: [
    post("createDepositor", "/api/v1/depositor", {
      summary: "Whitelist depositor",
      description:
        "Registers a party that funds your account from a wallet: a person, a company with its owners, or your own business. Persons, business and wallet are screened.",
      body: { form: depositorBody },
      data: created,
      refusals: [
        "RECORD_NOT_FOUND",
        "BENEFICIARY_CREATION_NOT_ALLOWED",
        "INVALID_REQUEST",
        "INVALID_WALLET_ADDRESS",
        "RISK_ANALYSIS_FAILED",
      ],
      answer: (call, { beneficiary }) =>
        beneficiary.createDepositor(bodyFields(call, DepositorFieldsSchema)),
    }),
    get("listDepositors", "/api/v1/depositors", {
      summary: "List depositors",
      description: "Your depositors, newest first.",
      query: listQuery,
      data: depositorPage,
      answer: ({ request }, { beneficiary }) => beneficiary.listDepositors(request),
    }),
    get("getDepositor", "/api/v1/depositor/:depositorId", {
      summary: "Get depositor",
      description: "One depositor with the result of its screening.",
      data: depositor,
      answer: async ({ request }, { beneficiary }) =>
        (await beneficiary.getDepositor(request)).depositor,
    }),
  ],
};
