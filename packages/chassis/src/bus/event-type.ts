import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { event } from "@disburse/contracts/disburse/type/v1/event_pb.ts";
import { type EventType, patternOf } from "./bus.ts";

/** The kind of event that a message is; throws where the contract names no publisher of it. */
export function eventTypeOf(message: DescMessage): EventType {
  const { routingKeys: keys, publishers } = getOption(message, event);
  if (keys.length === 0 || publishers.length === 0) {
    throw new TypeError(`${message.typeName} has no publisher`);
  }
  return { keys, publishers };
}

/** Answers whether a service may publish under a routing key, by what a consumer takes. */
export function publishersOf(
  events: readonly EventType[],
): (key: string, service: string) => boolean {
  const known = events.flatMap(({ keys, publishers }) =>
    keys.map((key) => ({ pattern: patternOf(key), publishers: new Set(publishers) })),
  );
  return (key, service) =>
    known.some(({ pattern, publishers }) => publishers.has(service) && pattern.test(key));
}
