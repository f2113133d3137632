/** The fields of a webhook or feed event that determine its order. */
export type OrderedEvent = {
  readonly id: string;
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly sequence: number;
};

/**
 * The position of a transaction. Holds the greatest processed sequence and the ids of the events
 * that have this sequence.
 */
export type EventPosition = {
  readonly sequence: number;
  /**
   * Usually one id. Several if the external system behind a refund or session used a sequence
   * twice.
   */
  readonly ids: readonly string[];
};

/**
 * The relation of an event to its transaction's position. `new`: process the event. `repeated`: the
 * event was already processed. `outdated`: a later event of the same transaction was processed, so
 * this event's data is no longer current.
 */
export type EventStanding = "new" | "repeated" | "outdated";

/**
 * Compares an event with its transaction's position. `undefined` means that the transaction has no
 * position yet.
 */
export function eventStanding(
  { id, sequence }: Pick<OrderedEvent, "id" | "sequence">,
  position: EventPosition | undefined,
): EventStanding {
  if (position === undefined) return "new";
  if (position.ids.includes(id)) return "repeated";
  return sequence < position.sequence ? "outdated" : "new";
}

/** Returns the transaction's position after a new event. */
export function positionAfter(
  { id, sequence }: Pick<OrderedEvent, "id" | "sequence">,
  position: EventPosition | undefined,
): EventPosition {
  const others = position?.sequence === sequence ? position.ids : [];
  return { sequence, ids: [...others, id] };
}

/** A store of positions by transaction: a `Map`, or a small adapter for a database. */
export type EventPositions = {
  get(transaction: string): EventPosition | undefined | Promise<EventPosition | undefined>;
  set(transaction: string, position: EventPosition): unknown;
};

/** Processes an event if it is new, and returns its standing. */
export type HandleOnce = <E extends OrderedEvent>(
  event: E,
  work: (event: E) => unknown,
) => Promise<EventStanding>;

/**
 * Processes each event once and in order, and drops repeated and outdated ones. Events of one
 * transaction wait for each other. If `work` fails, the position stays and the call rejects:
 * respond with a status other than 200, and the platform sends the event again.
 *
 * A crash between `work` and the write of the position causes a second delivery, and so may two
 * processes that handle the same event. To prevent both, do the work and the write in one database
 * transaction with `eventStanding` and `positionAfter`.
 */
export function onceInOrder(positions: EventPositions): HandleOnce {
  const tails = new Map<string, Promise<unknown>>();
  return async (event, work) => {
    const transaction = `${event.transaction_type}/${event.transaction_id}`;
    const previous = tails.get(transaction);
    const current = (async (): Promise<EventStanding> => {
      // The previous caller handles this failure.
      await previous?.catch(() => undefined);
      const position = await positions.get(transaction);
      const standing = eventStanding(event, position);
      if (standing !== "new") return standing;
      await work(event);
      await positions.set(transaction, positionAfter(event, position));
      return standing;
    })();
    tails.set(transaction, current);
    try {
      return await current;
    } finally {
      if (tails.get(transaction) === current) tails.delete(transaction);
    }
  };
}
