import { Primary } from "./primary.ts";

type Shared = ConstructorParameters<typeof Primary>[0];

/** A loss of the primary. */
type Failover = {
  /** The primary waits until a majority has its writes. */
  readonly isPlanned: boolean;
  /** Time until another member is elected. */
  readonly electionMs: number;
  /** The time for which the former primary still serves some clients as the primary. */
  readonly isolatedMs: number;
  /** Decides whether a client stays connected to the former primary. */
  readonly stays: () => boolean;
};

/** Three members with one primary, or with two for a time. */
export type ReplicaSet = ReturnType<typeof createReplicaSet>;

export function createReplicaSet(shared: Shared) {
  const nowMs = () => shared.now().getTime();
  let primary = new Primary(shared);
  let former:
    | { readonly primary: Primary; readonly stays: (client: object) => boolean }
    | undefined;
  const isServing = (each: Primary) => nowMs() >= each.servesFromMs && nowMs() < each.servesUntilMs;
  return {
    primary: () => primary,
    isServing,
    /** Returns the primary that a client reaches, or undefined if it reaches none. */
    primaryOf: (client: object): Primary | undefined => {
      if (former !== undefined && isServing(former.primary) && former.stays(client)) {
        return former.primary;
      }
      return isServing(primary) ? primary : undefined;
    },
    /** Returns true if every client reaches the same primary. */
    isWhole: () => isServing(primary) && (former === undefined || !isServing(former.primary)),
    /** Replaces the primary. Returns the number of writes that are rolled back. */
    failOver: ({ isPlanned, electionMs, isolatedMs, stays }: Failover): number => {
      if (isPlanned) primary.commitAll();
      const lost = primary.cutOff();
      primary.servesUntilMs = nowMs() + isolatedMs;
      const clients = new WeakMap<object, boolean>();
      const remembered = (client: object) => {
        const known = clients.get(client) ?? stays();
        clients.set(client, known);
        return known;
      };
      former = { primary, stays: remembered };
      primary = new Primary(shared, primary);
      primary.servesFromMs = nowMs() + electionMs;
      return lost;
    },
    /** Connects the members again and ends the election. */
    heal: (): void => {
      if (former !== undefined) {
        former.primary.servesUntilMs = Math.min(former.primary.servesUntilMs, nowMs());
      }
      primary.servesFromMs = Math.min(primary.servesFromMs, nowMs());
    },
  };
}
