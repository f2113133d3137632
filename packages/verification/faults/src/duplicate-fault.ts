import { setTimeout as pause } from "node:timers/promises";
import { type ConsumeMessage, connect } from "amqplib";
import type { Fault, Stage } from "./stage.ts";

/** Events are gathered this long, then published again in another order. */
const gatherMs = 500;
/** Each event comes this often again, at most. */
const copiesMax = 5;
const secondsPerSeed = 3;
const shuffledHeader = "x-fault-shuffled";

/** Every event once more, up to five times, in any order. */
export const duplicateFault: Fault = {
  name: "duplicates",
  about: "each event published 1 to 5 times more, shuffled",
  run: async (stage) => {
    const { load, options, ground, busNamespace } = stage;
    const connection = await connect(ground.amqpUrl);
    const channel = await connection.createConfirmChannel();
    const exchange = `${busNamespace}.events`;
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
    load.go();
    const endAt = Date.now() + options.seeds * secondsPerSeed * 1_000;
    while (Date.now() < endAt) {
      await pause(gatherMs);
      const again = gathered;
      gathered = [];
      for (const message of shuffledCopies(stage, again)) {
        const { messageId, headers } = message.properties;
        const marked = { ...headers, [shuffledHeader]: true };
        const published = { persistent: true, messageId, headers: marked };
        channel.publish(exchange, message.fields.routingKey, message.content, published);
        stage.fired("event again");
      }
      await channel.waitForConfirms();
    }
    await load.rest();
    await connection.close();
    return [];
  },
};

function shuffledCopies({ random }: Stage, messages: readonly ConsumeMessage[]) {
  const copies = messages.flatMap((message) =>
    Array.from({ length: 1 + random.below(copiesMax) }, () => message),
  );
  return random.shuffled(copies);
}
