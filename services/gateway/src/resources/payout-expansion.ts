import type { Beneficiary } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Payout } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Quote } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { refusedBecause } from "@disburse/kernel/refusal.ts";
import type * as f from "../openapi/fields.ts";
import { schemaRef } from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import type { Call, Clients } from "../openapi/route.ts";
import { beneficiary } from "./beneficiaries.ts";
import { quote } from "./quotes.ts";

/** A payout with the related records that the merchant requested. */
type Expanded = Payout & {
  readonly expanded?: { readonly beneficiary?: Beneficiary; readonly quote?: Quote };
};

/** The query that requests related records. Each of them requires its own read scope. */
export const expansionQuery = {
  "expand[]": q.listOf(["beneficiary", "quote"], "Records to answer with the payout."),
};

/** Adds the related records to a payout's response. */
export function withExpansions(payout: f.Component<Payout>): f.Component<Expanded> {
  const own = payout.schema.properties as object;
  const more = { beneficiary: schemaRef(beneficiary), quote: schemaRef(quote) };
  return {
    ...payout,
    schema: { ...payout.schema, properties: { ...own, ...more } },
    write: ({ expanded = {}, ...its }) => ({
      ...(payout.write(its) as object),
      ...(expanded.beneficiary && { beneficiary: beneficiary.write(expanded.beneficiary) }),
      ...(expanded.quote && { quote: quote.write(expanded.quote) }),
    }),
  };
}

type GetPayout = Call<"/api/v1/transfer/payouts/:payoutId", typeof expansionQuery>;

/**
 * Reads a payout with the requested related records. Refuses if the caller lacks a scope for one of
 * them.
 */
export async function readExpanded({ request, query, scopes }: GetPayout, clients: Clients) {
  const { "expand[]": names = [] } = query;
  if (names.some((name) => !scopes.has(`${name}:read`))) {
    return refusedBecause("ACCESS_FORBIDDEN", "scope_missing");
  }
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
