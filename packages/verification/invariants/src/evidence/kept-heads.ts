import type { Flaw } from "./flaw.ts";

/** The newest entry of a chain at shipping time. */
export type ShippedHead = {
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
  readonly at: string;
};

/**
 * Number of heads kept for each chain. The newest head decides whether the chain is intact. The
 * other heads show where a change is.
 */
const keptMax = 64;

/** The heads of every chain, by service and chain. Memory is bounded. */
export type KeptHeads = ReturnType<typeof createKeptHeads>;

export function createKeptHeads() {
  const kept = new Map<string, ShippedHead[]>();
  const flaws: Flaw[] = [];
  return {
    /**
     * Adds the next head of a chain. If its number is lower than the previous one, the chain was
     * cut.
     */
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
      // Drops every second head, so that the remaining ones cover the whole period.
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
    chainsOf: (service: string, prefix: string): string[] =>
      [...kept.keys()]
        .filter((name) => name.startsWith(`${service} ${prefix}`))
        .map((name) => name.slice(service.length + 1)),
    count: (): number => [...kept.values()].reduce((sum, { length }) => sum + length, 0),
    end: (): readonly Flaw[] => flaws,
  };
}

export function subjectOf(chain: string, sequence: number): string {
  if (chain === "audit") return `audit entry ${sequence}`;
  return `entry ${sequence} of ${chain.slice(chain.indexOf("/") + 1)}`;
}
