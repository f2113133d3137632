import type { Beneficiary } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Quote } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { refusedBecause } from "@disburse/kernel/refusal.ts";
import type * as f from "../openapi/fields.ts";
import { schemaRef } from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import type { Call, Clients } from "../openapi/route.ts";
import { beneficiary } from "./beneficiaries.ts";
import { quote } from "./quotes.ts";

type Related = { readonly beneficiary?: Beneficiary; readonly quote?: Quote };

/** A payout with the related records that the merchant requested. */
type Expanded<Message> = Message & { readonly expanded?: Related };

/** The query that requests related records. Each of them requires its own read scope. */
export const expansionQuery = {
  "expand[]": q.listOf(["beneficiary", "quote"], "Records to answer with the payout."),
};

/** A list has no quotes, because each of them would be a read of its own. */
export const listExpansionQuery = {
  "expand[]": q.listOf(["beneficiary"], "Records to answer with each payout."),
};

const schemas = { beneficiary: schemaRef(beneficiary), quote: schemaRef(quote) };

/** Adds the related records to a payout's response. */
export function withExpansions<Message>(
  payout: f.Component<Message>,
  names: readonly (keyof Related)[],
): f.Component<Expanded<Message>> {
  const own = payout.schema.properties as object;
  const more = Object.fromEntries(names.map((name) => [name, schemas[name]]));
  return {
    ...payout,
    schema: { ...payout.schema, properties: { ...own, ...more } },
    write: ({ expanded = {}, ...its }) => ({
      ...(payout.write(its as Message) as object),
      ...(expanded.beneficiary && { beneficiary: beneficiary.write(expanded.beneficiary) }),
      ...(expanded.quote && { quote: quote.write(expanded.quote) }),
    }),
  };
}

/** Refuses if the caller lacks a scope for one of the records. */
function missingScope(names: readonly (keyof Related)[], scopes: Call["scopes"]) {
  return names.some((name) => !scopes.has(`${name}:read`))
    ? refusedBecause("ACCESS_FORBIDDEN", "scope_missing")
    : undefined;
}

type GetPayout = Call<"/api/v1/transfer/payouts/:payoutId", typeof expansionQuery>;

/** Reads a payout with the requested related records. */
export async function readExpanded({ request, query, scopes }: GetPayout, clients: Clients) {
  const { "expand[]": names = [] } = query;
  const refusal = missingScope(names, scopes);
  if (refusal !== undefined) return refusal;
  const { payout } = await clients.payout.getPayout(request);
  if (payout === undefined || names.length === 0) return payout;
  const { merchantId } = request;
  const { beneficiaryId, quoteId } = payout;
  const [paid, quoted] = await Promise.all([
    names.includes("beneficiary")
      ? clients.beneficiary.getBeneficiary({ merchantId, beneficiaryId })
      : undefined,
    names.includes("quote") ? clients.quote.getQuote({ merchantId, quoteId }) : undefined,
  ]);
  const expanded = {
    ...(paid?.beneficiary && { beneficiary: paid.beneficiary }),
    ...(quoted?.quote && { quote: quoted.quote }),
  };
  return { ...payout, expanded };
}

type ListPayouts = Pick<Call<string, typeof listExpansionQuery>, "request" | "query" | "scopes">;

/** Lists payouts with the requested related records. */
export async function listExpanded({ request, query, scopes }: ListPayouts, clients: Clients) {
  const { "expand[]": names = [] } = query;
  const refusal = missingScope(names, scopes);
  if (refusal !== undefined) return refusal;
  const page = await clients.payout.listPayouts(request);
  if (names.length === 0 || page.payouts.length === 0) return page;
  const beneficiaryIds = [...new Set(page.payouts.map((each) => each.beneficiaryId))];
  const { merchantId } = request;
  const found = await clients.beneficiary.getBeneficiaries({ merchantId, beneficiaryIds });
  const byId = new Map(found.beneficiaries.map((each) => [each.id, each]));
  const payouts = page.payouts.map((each) => {
    const paid = byId.get(each.beneficiaryId);
    return { ...each, expanded: { ...(paid && { beneficiary: paid }) } };
  });
  return { ...page, payouts };
}
