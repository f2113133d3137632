import { setTimeout as pause } from "node:timers/promises";
import { type ConsumeMessage, connect } from "amqplib";
import type { Fault, FaultContext } from "../context.ts";

/** Collects events for this long, then republishes them in another order. */
const gatherMs = 500;
const copiesMax = 5;
const secondsPerSeed = 3;
const shuffledHeader = "x-fault-shuffled";

export const duplicateFault: Fault = {
  name: "duplicates",
  about: "each event published 1 to 5 times more, shuffled",
  run: async (context) => {
    const { load, options, backends, busNamespace } = context;
    const connection = await connect(backends.amqpUrl);
    const channel = await connection.createConfirmChannel();
    const exchange = `${busNamespace}.payout.events`;
    const { queue } = await channel.assertQueue("", { exclusive: true });
    await channel.bindQueue(queue, exchange, "#");
    let gathered: ConsumeMessage[] = [];
    await channel.consume(
      queue,
      (message) => {
        const isOurs = message?.properties.headers?.[shuffledHeader] === true;
        if (message !== null && !isOurs) gathered.push(message);
      },
      { noAck: true },
    );
    load.start();
    const endAt = Date.now() + options.seeds * secondsPerSeed * 1_000;
    while (Date.now() < endAt) {
      await pause(gatherMs);
      const again = gathered;
      gathered = [];
      for (const message of shuffledCopies(context, again)) {
        const { messageId, headers } = message.properties;
        const marked = { ...headers, [shuffledHeader]: true };
        const published = { persistent: true, messageId, headers: marked };
        channel.publish(exchange, message.fields.routingKey, message.content, published);
        context.fired("event again");
      }
      await channel.waitForConfirms();
    }
    await load.drain();
    await connection.close();
    return [];
  },
};

function shuffledCopies({ random }: FaultContext, messages: readonly ConsumeMessage[]) {
  const copies = messages.flatMap((message) =>
    Array.from({ length: 1 + random.below(copiesMax) }, () => message),
  );
  return random.shuffled(copies);
}
