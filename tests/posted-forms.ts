import { updateAccount } from "@disburse/forms/bodies/account.ts";
import { createBeneficiaryLink } from "@disburse/forms/bodies/beneficiary-link.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/bodies/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import {
  approveBatch,
  createBatch,
  executePayout,
  reissuePayout,
  requestForQuote,
  schedulePayout,
} from "@disburse/forms/bodies/transfer.ts";
import { updateBeneficiary } from "@disburse/forms/bodies/update-beneficiary.ts";
import {
  createEndpoint,
  createReplay,
  rotateSecret,
  updateEndpoint,
} from "@disburse/forms/bodies/webhooks.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import type { BodyValues, Condition, Field, PublicBody } from "@disburse/forms/fields/field.ts";
import { publicBodies } from "@disburse/forms/test-bodies.ts";
import { type AccountType, type BankTransfer, bankBody, paths } from "./bodies.ts";
import type { Payer } from "./payer.ts";

/** A form's path, and a function that returns a new valid body. */
export type Posted = {
  readonly body: PublicBody;
  readonly fields: readonly Field[];
  readonly method?: "PATCH";
  readonly path: (ids: { readonly endpointId: string; readonly accountId: string }) => string;
  /** Fields that are optional individually but required as a group. */
  readonly atLeast?: BodyValues;
  readonly values: (payer: Payer) => Promise<BodyValues>;
  /** Reverts the effect of an accepted body. Needed where only a few records may exist. */
  readonly undo?: (payer: Payer, data: { id: string }) => Promise<unknown>;
};

const usd = ["USD", "USD"] as const;

type Posting = Omit<Posted, "body" | "fields">;

/** Describes how each public body is posted. A missing one fails the whole file. */
const postings = new Map<PublicBody, Posting>([
  [cryptoBeneficiary, { path: () => paths.crypto, values: async () => ({}) }],
  [fiatBeneficiary, { path: () => paths.fiat, values: async () => ({}) }],
  [depositor, { path: () => paths.depositor, values: async () => ({}) }],
  [
    createBeneficiaryLink,
    {
      path: () => "/api/v1/beneficiary-links",
      // A person's bank account has no network and no name of a company.
      values: async () => ({ network: undefined, beneficiary_name: undefined }),
    },
  ],
  [requestForQuote, { path: () => paths.rfq, values: (payer) => payer.transfer(...usd) }],
  [
    executePayout,
    {
      path: () => paths.execute,
      values: async (payer) => ({
        quote_id: (await payer.quote(...usd, { source_amount: "1.00" })).id,
        queue_if_low_balance: true,
        max_source_amount: "100.10",
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      }),
    },
  ],
  [
    schedulePayout,
    {
      path: () => paths.scheduled,
      values: async (payer) => ({
        ...(await payer.transfer(...usd)),
        scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      }),
    },
  ],
  [
    createEndpoint,
    {
      path: () => paths.endpoints,
      values: async () => ({ url: "http://127.0.0.1:9/hook" }),
      undo: (payer, { id }) => payer.call("DELETE", `${paths.endpoints}/${id}`),
    },
  ],
  [
    updateEndpoint,
    {
      method: "PATCH",
      path: ({ endpointId }) => `${paths.endpoints}/${endpointId}`,
      values: async () => ({ url: "http://127.0.0.1:9/hook" }),
      atLeast: { order: "bounded" },
    },
  ],
  [
    rotateSecret,
    {
      path: ({ endpointId }) => `${paths.endpoints}/${endpointId}/rotate-secret`,
      values: async () => ({}),
    },
  ],
  [
    updateAccount,
    {
      method: "PATCH",
      path: ({ accountId }) => `/api/v1/transfer/accounts/${accountId}`,
      values: async () => ({}),
      atLeast: { name: "Payroll" },
    },
  ],
  [
    createReplay,
    {
      path: () => paths.replays,
      values: async (payer) => {
        const { endpoints } = await payer.data("GET", paths.endpoints);
        return { endpoint_id: endpoints[0].id };
      },
    },
  ],
]);

/** The fields of a fiat form depend on one another. These forms together contain every field. */
const shapes: Readonly<Record<string, readonly [BankTransfer, AccountType][]>> = {
  fiat_beneficiary_usd: [
    ["ACH", "Individual"],
    ["SWIFT", "Corporate"],
  ],
  fiat_beneficiary_inr: [
    ["INR", "Individual"],
    ["INR", "Corporate"],
  ],
  fiat_beneficiary_eur: [
    ["EUR", "Individual"],
    ["EUR", "Corporate"],
  ],
};

/**
 * Tested elsewhere. A batch line has one of two amounts, and an approval needs its batch
 * (`batches.e2e.test.ts`). A reissue needs a returned payout (payout's `reissue.int.test.ts`). An
 * update adds to stored metadata (beneficiary's `update.test.ts` and `update.int.test.ts`).
 */
const triedElsewhere: readonly PublicBody[] = [
  ...[createBatch, approveBatch, reissuePayout],
  updateBeneficiary,
];

export const postedForms: [string, Posted][] = publicBodies
  .filter((body) => !triedElsewhere.includes(body))
  .flatMap((body) =>
    body.forms.flatMap((form): [string, Posted][] => {
      const posting = postings.get(body);
      if (posting === undefined) throw new Error(`no test posts the body ${body.name}`);
      const posted = { ...posting, body, fields: form.fields };
      const example = async (payer: Payer) => ({
        ...exampleOf(form),
        ...(await posting.values(payer)),
      });
      return (
        shapes[form.name]?.map(([transfer, type]): [string, Posted] => [
          `${form.name} by ${transfer} of an ${type}`,
          { ...posted, values: async () => bankBody(transfer, type) },
        ]) ?? [[form.name, { ...posted, values: example }]]
      );
    }),
  );

function holds(condition: Condition, values: BodyValues): boolean {
  if ("set" in condition) return (values[condition.field] === true) === condition.set;
  const value = String(values[condition.field] ?? "");
  if ("in" in condition) return condition.in.includes(value);
  return "notIn" in condition ? !condition.notIn.includes(value) : value === "";
}

export const isRequired = ({ required }: Field, values: BodyValues) =>
  typeof required === "boolean" ? required : holds(required, values);

/**
 * Returns every field of a body with its path. The first entry of a list stands for the whole list.
 */
export function fieldPaths(
  fields: readonly Field[],
  values: BodyValues,
  prefix = "",
): [string, Field][] {
  return fields.flatMap((field): [string, Field][] => {
    if (field.when !== undefined && !holds(field.when, values)) return [];
    const path = `${prefix}${field.name}`;
    const inner = field.kind === "object" ? "." : "[0].";
    const below = "fields" in field ? fieldPaths(field.fields, values, `${path}${inner}`) : [];
    return [[path, field], ...below];
  });
}

/** Returns the body with one value changed, or removed if `value` is undefined. */
export function changed(values: BodyValues, path: string, value: unknown): BodyValues {
  const copy = structuredClone(values);
  const steps = path.split(/[.[\]]+/);
  const last = steps.pop() ?? "";
  let at = copy as Record<string, unknown>;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
