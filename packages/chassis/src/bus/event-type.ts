import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { event } from "@disburse/contracts/disburse/type/v1/event_pb.ts";
import { type EventType, patternOf } from "./bus.ts";

/** Reads the kind of an event. Throws if the contract names no publisher for the event. */
export function eventTypeOf(message: DescMessage): EventType {
  const { routingKeys: keys, publishers } = getOption(message, event);
  if (keys.length === 0 || publishers.length === 0) {
    throw new TypeError(`the contract of ${message.typeName} names no routing key or publisher`);
  }
  return { keys, publishers };
}

/**
 * Returns a function that checks whether a service may publish under a routing key, based on a
 * consumer's accepted events.
 */
export function publishersOf(
  events: readonly EventType[],
): (key: string, service: string) => boolean {
  const known = events.flatMap(({ keys, publishers }) =>
    keys.map((key) => ({ pattern: patternOf(key), publishers: new Set(publishers) })),
  );
  return (key, service) =>
    known.some(({ pattern, publishers }) => publishers.has(service) && pattern.test(key));
}
