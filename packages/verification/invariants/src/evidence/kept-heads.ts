import type { Flaw } from "./flaw.ts";

/** The newest entry of a chain, as it was shipped. */
export type ShippedHead = {
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
  /** When, as the statement says it. */
  readonly at: string;
};

/** Heads of a chain that are kept: the newest decides, the others say where a change begins. */
const keptMax = 64;

/** The heads of every chain, by service and chain; memory is bounded for each. */
export type KeptHeads = ReturnType<typeof createKeptHeads>;

/** Keeps heads in the order in which they were shipped. */
export function createKeptHeads() {
  const kept = new Map<string, ShippedHead[]>();
  const flaws: Flaw[] = [];
  return {
    /** Takes the next head of a chain; one that goes back shows that the chain was cut since. */
    add: (service: string, head: ShippedHead): void => {
      const name = `${service} ${head.chain}`;
      const heads = kept.get(name) ?? [];
      kept.set(name, heads);
      const last = heads.at(-1);
      const flaw = (kind: Flaw["kind"], detail: string) =>
        flaws.push({ kind, service, subject: subjectOf(head.chain, head.sequence), detail });
      if (last !== undefined && head.sequence < last.sequence) {
        flaw("cut", `was the last one at ${head.at}; at ${last.at} it was ${last.sequence}`);
        return;
      }
      if (last?.sequence === head.sequence) {
        if (last.hash !== head.hash) flaw("rewritten", `was another one at ${last.at}`);
        return;
      }
      heads.push(head);
      // Every second one, so that they stay spread over the whole time.
      if (heads.length > keptMax) {
        kept.set(
          name,
          heads.filter(
            (_each, index) => index % 2 === heads.length % 2 || index === heads.length - 1,
          ),
        );
      }
    },
    of: (service: string, chain: string): readonly ShippedHead[] =>
      kept.get(`${service} ${chain}`) ?? [],
    /** The chains of a service that begin so. */
    chainsOf: (service: string, prefix: string): string[] =>
      [...kept.keys()]
        .filter((name) => name.startsWith(`${service} ${prefix}`))
        .map((name) => name.slice(service.length + 1)),
    count: (): number => [...kept.values()].reduce((sum, { length }) => sum + length, 0),
    end: (): readonly Flaw[] => flaws,
  };
}

/** How an entry is named: by its chain and number. */
export function subjectOf(chain: string, sequence: number): string {
  if (chain === "audit") return `audit entry ${sequence}`;
  return `entry ${sequence} of ${chain.slice(chain.indexOf("/") + 1)}`;
}
