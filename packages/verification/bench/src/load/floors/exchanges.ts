import { mixed } from "../scenarios.ts";
import { accountId, type FloorOperation } from "./operations.ts";

/** The two fixed floors. */
export type FloorKind = "naive" | "grouped";

/** What is asked of them: single operations, or several for one scenario. */
export type FloorScenario = FloorOperation | "mix" | "lifecycle";

let made = 0;
let mixedMade = 0;
/** Of each floor: the quotes that were not executed yet. */
const quotes = new Map<FloorKind, string[]>();

/** Requests that belong together, one after the other, and what is done once they are answered. */
type Turn = { readonly paths: readonly string[]; readonly answered?: () => void };

/** Answers a function that makes the turns of a scenario; `undefined` where nothing is left. */
export function floorExchanges({
  kind,
  scenario,
  accounts,
  answerBytes,
}: {
  readonly kind: FloorKind;
  readonly scenario: FloorScenario;
  readonly accounts: number;
  readonly answerBytes: number;
}): () => Turn | undefined {
  const unclaimed = quotes.getOrInsert(kind, []);
  const newId = () => `${kind}-${++made}`;
  const turnOf = (id: string, ...operations: readonly FloorOperation[]): Turn => {
    const query = { id, account: accountId(made % accounts), bytes: String(answerBytes) };
    return { paths: operations.map((each) => `/${kind}/${each}?${new URLSearchParams(query)}`) };
  };
  const turns: Readonly<Record<FloorScenario, () => Turn | undefined>> = {
    quote: () => {
      const id = newId();
      return { ...turnOf(id, "quote"), answered: () => unclaimed.push(id) };
    },
    execute: () => {
      const id = unclaimed.shift();
      return id === undefined ? undefined : turnOf(id, "execute");
    },
    lifecycle: () => turnOf(newId(), "quote", "execute"),
    mix: () => {
      const name = mixed[mixedMade++ % mixed.length] ?? "read";
      return turns[name]() ?? turns.read();
    },
    read: () => turnOf("", "read"),
    list: () => turnOf("", "list"),
    beneficiary: () => turnOf(newId(), "beneficiary"),
  };
  return turns[scenario];
}
