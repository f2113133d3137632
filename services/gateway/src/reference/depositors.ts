import { depositor as depositorBody } from "@disburse/forms/depositor.ts";
import { momentParameter, parameter, wordParameter } from "../domain/list-query.ts";
import { depositorStatuses, meanings, wordsOf } from "../routes/words.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./page.ts";
import { component, id, recordTimes, ref, word } from "./schema.ts";
import { storedFields } from "./stored-fields.ts";

const stored = storedFields(depositorBody);

const depositor = component(
  "Depositor",
  "A stored depositor: the fields of its form, without numbers of documents and birth dates.",
  {
    ...stored,
    id: id("dep", "Depositor id."),
    status: word(
      "`pending` until it was screened; `whitelisted`, `review` (a person looks at it) or `rejected`.",
      wordsOf(depositorStatuses),
    ),
    ...recordTimes,
  },
  Object.keys(stored),
);

const created = component("CreatedDepositor", "A depositor that was stored.", {
  id: id("dep", "Depositor id."),
});

const depositorPage = pageOf("DepositorPage", "depositors", ref(depositor));

/** What the list takes in its query. */
export const listDepositorsQuery = {
  ...pageQuery,
  status: parameter(wordParameter(meanings(depositorStatuses)), "Depositors of this status alone."),
  depositor_type: parameter(
    wordParameter({ Individual: "Individual", Corporate: "Corporate" }),
    "Depositors of this type alone.",
  ),
  created_from: parameter(momentParameter, "Made at this time or later."),
  created_to: parameter(momentParameter, "Made before this time."),
} as const;

export const createDepositorEndpoint: Endpoint = {
  id: "createDepositor",
  method: "POST",
  path: "/api/v1/depositor",
  scope: "depositor:write",
  tag: "Depositors",
  summary: "Whitelist depositor",
  description:
    "Registers whoever pays in from a wallet: a person, a company with its owners, or your own business. Persons, business and wallet are screened.",
  body: { form: depositorBody },
  data: created,
  refusals: [
    "RECORD_NOT_FOUND",
    "BENEFICIARY_CREATION_NOT_ALLOWED",
    "INVALID_REQUEST",
    "INVALID_WALLET_ADDRESS",
    "RISK_ANALYSIS_FAILED",
  ],
};

export const getDepositorEndpoint: Endpoint = {
  id: "getDepositor",
  method: "GET",
  path: "/api/v1/depositor/:depositorId",
  scope: "depositor:read",
  tag: "Depositors",
  summary: "Get depositor",
  description: "One depositor and what its screening came to.",
  data: depositor,
  refusals: ["RECORD_NOT_FOUND"],
};

export const listDepositorsEndpoint: Endpoint = {
  id: "listDepositors",
  method: "GET",
  path: "/api/v1/depositors",
  scope: "depositor:read",
  tag: "Depositors",
  summary: "List depositors",
  description: "Your depositors, newest first.",
  query: listDepositorsQuery,
  data: depositorPage,
  refusals: ["INVALID_REQUEST"],
};

/** Every component of this file, for the document. */
export const depositorComponents = [depositor, created, depositorPage];
