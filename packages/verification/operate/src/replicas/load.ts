import { callGateway, requestQuote } from "@disburse/platform/merchant.ts";

export type Payer = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
  readonly beneficiaryId: string;
};

/** A round consists of a quote, its execution, a read of the payout and a read of a page. */
const requestsPerRound = 4;

/**
 * Runs rounds of the merchant's main work at a fixed rate, independent of responses.
 *
 * @param perSecond requests per second.
 */
export function startLoad(payer: Payer, perSecond: number) {
  const failures: string[] = [];
  const payoutIds: string[] = [];
  const running = new Set<Promise<void>>();
  let requests = 0;
  const read = async (path: string) => {
    const { status, code } = await callGateway(payer, "GET", path);
    if (status !== 200) throw new Error(`GET ${path} failed: status ${status}, code ${code}`);
  };
  const round = async () => {
    const quoteId = await requestQuote(payer, payer.beneficiaryId);
    const body = { quote_id: quoteId };
    const executed = await callGateway(payer, "POST", "/transfer/execute", body);
    if (executed.status !== 200)
      throw new Error(`executing a quote failed: status ${executed.status}, code ${executed.code}`);
    payoutIds.push(executed.data.id);
    await Promise.all([
      read(`/transfer/payouts/${executed.data.id}`),
      read("/transfer/payouts?limit=20"),
    ]);
  };
  const begin = () => {
    requests += requestsPerRound;
    const created = round().catch((error: Error) => {
      const { cause, message } = error;
      failures.push(cause instanceof Error ? `${message}: ${cause.message}` : message);
    });
    running.add(created);
    void created.finally(() => running.delete(created));
  };
  const timer = setInterval(begin, (1_000 * requestsPerRound) / perSecond);
  return {
    failed: () => failures.length,
    /** Stops, waits for pending requests, and returns counts of requests and failures, and the payouts. */
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
      return { requests, failures: failures as readonly string[], payoutIds };
    },
  };
}
