/** An event of a webhook or of the feed, as far as its order goes. */
export type OrderedEvent = {
  readonly id: string;
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly sequence: number;
};

/** How far a transaction is: the greatest sequence that was worked on, and the events with it. */
export type EventPosition = {
  readonly sequence: number;
  /** One id; more where a refund's or a session's system counted twice. */
  readonly ids: readonly string[];
};

/**
 * `new`: to be worked on. `repeated`: it was the last one. `outdated`: a later one of the same
 * transaction was worked on before, so that it says nothing that is still true.
 */
export type EventStanding = "new" | "repeated" | "outdated";

/** How an event stands to the position of its transaction; `undefined` where there is none yet. */
export function eventStanding(
  { id, sequence }: Pick<OrderedEvent, "id" | "sequence">,
  position: EventPosition | undefined,
): EventStanding {
  if (position === undefined) return "new";
  if (position.ids.includes(id)) return "repeated";
  return sequence < position.sequence ? "outdated" : "new";
}

/** The position of its transaction once a new event was worked on. */
export function positionAfter(
  { id, sequence }: Pick<OrderedEvent, "id" | "sequence">,
  position: EventPosition | undefined,
): EventPosition {
  const others = position?.sequence === sequence ? position.ids : [];
  return { sequence, ids: [...others, id] };
}

/** Where positions are kept, by transaction: a `Map`, or a few lines on a database. */
export type EventPositions = {
  get(transaction: string): EventPosition | undefined | Promise<EventPosition | undefined>;
  set(transaction: string, position: EventPosition): unknown;
};

/** Works on an event if it is new, and says how it stood. */
export type HandleOnce = <E extends OrderedEvent>(
  event: E,
  work: (event: E) => unknown,
) => Promise<EventStanding>;

/**
 * Lets each event be worked on once and in order: what is repeated or outdated is dropped. Events
 * of one transaction wait for each other. Where `work` fails the position stays, and the call
 * rejects: answer other than 200, and the event comes again.
 *
 * After a crash between `work` and the position's write an event comes again, and so it may between
 * two processes. Where that must not be, do both in one transaction of the database, with
 * `eventStanding` and `positionAfter`.
 */
export function onceInOrder(positions: EventPositions): HandleOnce {
  const tails = new Map<string, Promise<unknown>>();
  return async (event, work) => {
    const transaction = `${event.transaction_type}/${event.transaction_id}`;
    const before = tails.get(transaction);
    const turn = (async (): Promise<EventStanding> => {
      // Its own caller gets the failure.
      await before?.catch(() => undefined);
      const position = await positions.get(transaction);
      const standing = eventStanding(event, position);
      if (standing !== "new") return standing;
      await work(event);
      await positions.set(transaction, positionAfter(event, position));
      return standing;
    })();
    tails.set(transaction, turn);
    try {
      return await turn;
    } finally {
      if (tails.get(transaction) === turn) tails.delete(transaction);
    }
  };
}
