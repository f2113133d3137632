import { Code, ConnectError } from "@connectrpc/connect";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";

/** Counts a request for a quote: with what it threw, where it made none. */
export type CountQuote = (error?: unknown) => void;

/** Counts requests for quotes: `QUOTED`, the code of a refusal, or of an RPC error. */
export function createQuoteCount(metrics: Pick<Metrics, "counter">): CountQuote {
  const quotes = metrics.counter(
    "disburse_quotes_total",
    "Requests for quotes by outcome: QUOTED, or why there is none.",
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
