import { Code, ConnectError } from "@connectrpc/connect";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";

/** Counts a request for a quote. Pass the error if it failed. */
export type CountQuote = (error?: unknown) => void;

/** Counts by outcome: `QUOTED`, a refusal code or an RPC error code. */
export function createQuoteCount(metrics: Pick<Metrics, "counter">): CountQuote {
  const quotes = metrics.counter(
    "disburse_quotes_total",
    "Quote requests by outcome: QUOTED, or the code of the refusal or error.",
    ["outcome"],
  );
  quotes.inc({ outcome: quoted }, 0);
  return (error) => quotes.inc({ outcome: error === undefined ? quoted : outcomeOf(error) });
}

const quoted = "QUOTED";

function outcomeOf(error: unknown): string {
  const refused = readRefusal(error)?.code;
  if (refused !== undefined) return refused;
  return error instanceof ConnectError ? Code[error.code].toUpperCase() : "INTERNAL";
}
