import { accountId, type NaiveOperation } from "./operations.ts";

/** A scenario as the naive program runs it: an operation, or a quote and its execute. */
export type NaiveScenario = NaiveOperation | "lifecycle";

/** The requests of one turn, in order. Call `answered` after the last answer. */
type NaiveTurn = { readonly paths: readonly string[]; readonly answered?: () => void };

let made = 0;
/** Ids of quotes that no execute has used. */
const unclaimed: string[] = [];

/** Returns the next turn of a scenario; `undefined` if no quote is left to execute. */
export function nextNaiveTurn(
  scenario: NaiveScenario,
  { accounts, answerBytes }: { readonly accounts: number; readonly answerBytes: number },
): NaiveTurn | undefined {
  made += 1;
  const pathsOf = (id: string, ...operations: readonly NaiveOperation[]) => {
    const query = { id, account: accountId(made % accounts), bytes: String(answerBytes) };
    return operations.map((each) => `/${each}?${new URLSearchParams(query)}`);
  };
  const id = `naive-${made}`;
  if (scenario === "lifecycle") return { paths: pathsOf(id, "quote", "execute") };
  if (scenario === "quote") {
    return { paths: pathsOf(id, "quote"), answered: () => unclaimed.push(id) };
  }
  if (scenario !== "execute") return { paths: pathsOf(id, scenario) };
  const quote = unclaimed.shift();
  return quote === undefined ? undefined : { paths: pathsOf(quote, "execute") };
}
