import type { Flaw, FlawKind } from "./flaw.ts";
import { type ShippedHead, subjectOf } from "./kept-heads.ts";

export type Link = {
  readonly sequence: number;
  readonly previous: string;
  readonly hash: string;
  /** Returns the hash that the entry would have with this number, calculated from its fields. */
  readonly hashAt: (sequence: number) => string;
  /** Fields that the hash doesn't cover. */
  readonly strays: readonly string[];
};

/**
 * Maximum number of entries with wrong hashes. They are compared with each other's numbers to find
 * reordered entries.
 */
const suspectsMax = 200;

/**
 * Starts the check of one chain against its shipped heads. Call `add` with links in sequence order.
 * Memory grows only with wrong links.
 */
export function createChainCheck(service: string, chain: string, heads: readonly ShippedHead[]) {
  const flaws: Flaw[] = [];
  const suspects: Link[] = [];
  const shipped = new Map(heads.map((head) => [head.sequence, head]));
  let expected = 1;
  /** The previous link's hash. `undefined` if it is missing or wrong. */
  let before: string | undefined = "";

  const flaw = (kind: FlawKind, sequence: number, detail: string) =>
    flaws.push({ kind, service, subject: subjectOf(chain, sequence), detail });
  const span = (from: number, to: number) =>
    from === to ? `entry ${from} is` : `entries ${from} to ${to} are`;

  const add = (link: Link): void => {
    const { sequence } = link;
    if (sequence > expected) {
      flaw("missing", expected, `${span(expected, sequence - 1)} not there`);
      before = undefined;
    }
    const isOwn = link.hashAt(sequence) === link.hash;
    if (!isOwn) suspects.push(link);
    else if (before !== undefined && link.previous !== before) {
      flaw("rewritten", sequence - 1, `is another one than entry ${sequence} follows`);
    }
    for (const field of link.strays) flaw("changed", sequence, `no hash covers its ${field}`);
    const head = shipped.get(sequence);
    if (isOwn && head !== undefined && head.hash !== link.hash) {
      flaw("rewritten", sequence, `has another hash than the one that was shipped at ${head.at}`);
    }
    before = isOwn ? link.hash : undefined;
    expected = sequence + 1;
  };

  /** `last` is the final number according to the chain's owner, if known. */
  const end = (last = 0): Flaw[] => {
    for (const link of suspects) {
      const places = suspects
        .slice(0, suspectsMax)
        .filter(({ sequence }) => sequence !== link.sequence);
      const own = places.find(({ sequence }) => link.hashAt(sequence) === link.hash);
      if (own === undefined)
        flaw("changed", link.sequence, "its hash is not the hash of its fields");
      else flaw("reordered", link.sequence, `is entry ${own.sequence}, in another place`);
    }
    const newest = heads.at(-1);
    const reached = Math.max(last, newest?.sequence ?? 0);
    if (reached >= expected) {
      const by = newest?.sequence === reached ? `; ${reached} was shipped at ${newest.at}` : "";
      flaw("cut", expected, `${span(expected, reached)} not there${by}`);
    }
    return flaws;
  };

  return {
    add,
    end,
    /** Returns the number of entries after the last shipped head. */
    unprotected: (): number => Math.max(0, expected - 1 - (heads.at(-1)?.sequence ?? 0)),
  };
}
