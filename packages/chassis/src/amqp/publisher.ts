import type { ChannelModel, ConfirmChannel, Message } from "amqplib";
import type { BusMessage } from "../bus/bus.ts";
import { requestIdHeader } from "../rpc/identity.ts";
import {
  type AmqpOptions,
  cutConnection,
  exchangeOf,
  guardChannel,
  maintainConnection,
  timeout,
} from "./connection.ts";

export type Publisher = {
  publish(messages: readonly BusMessage[]): Promise<void>;
  ready(): boolean;
  stop(): Promise<void>;
};

type Publishing = Omit<Publisher, "stop">;

export type PublisherOptions = AmqpOptions & {
  readonly confirmTimeoutMs: number;
  /** The broker closed the channel, as it does where the exchange is gone. */
  readonly refused: () => void;
};

/** A confirm that is late by so many timeouts more will not come: its connection is of no use. */
const lateTimeoutsMax = 2;

/** Publishes with confirms, on a connection of its own, whenever there is one. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { url, log, refused } = options;
  let current: Publishing | undefined;
  let stopping = false;

  const connection = maintainConnection({
    url,
    purpose: "publishing",
    log,
    setup: async (made) => {
      const channel = await made.createConfirmChannel();
      guardChannel(made, channel, log, () => stopping);
      channel.on("error", refused);
      const publishing = publishOn(made, channel, options);
      await channel.assertExchange(exchangeOf(options.namespace), "topic", { durable: true });
      current = publishing;
    },
    lost: () => {
      current = undefined;
    },
  });

  return {
    publish: async (messages) => {
      if (current === undefined) throw new Error("the bus is not connected");
      await current.publish(messages);
    },
    ready: () => current?.ready() ?? false,
    stop: async () => {
      stopping = true;
      await connection.stop();
    },
  };
}

/**
 * Publishes on a channel; a message that no queue takes comes back and counts as unpublished. What
 * the broker does not take the library keeps, and sends when it can: so nothing is published while
 * the broker says that it takes nothing, nor after a confirm that is late, until it has come.
 */
function publishOn(
  connection: ChannelModel,
  channel: ConfirmChannel,
  { namespace, confirmTimeoutMs, log }: PublisherOptions,
): Publishing {
  const exchange = exchangeOf(namespace);
  const returned = new Set<string>();
  let isBlocked = false;
  let late = 0;
  channel.on("return", (message: Message) => returned.add(String(message.properties.messageId)));
  connection.on("blocked", (reason) => {
    isBlocked = true;
    log.warn({ reason }, "the broker takes no messages");
  });
  connection.on("unblocked", () => {
    isBlocked = false;
    log.info({}, "the broker takes messages again");
  });

  /** Rejects when the channel closes, too. */
  const publishOne = ({ id, key, body, requestId }: BusMessage) =>
    new Promise<void>((resolve, reject) => {
      const headers = requestId === undefined ? {} : { [requestIdHeader]: requestId };
      const options = { persistent: true, mandatory: true, messageId: id, headers };
      channel.publish(exchange, key, Buffer.from(body), options, (error) => {
        if (error) reject(error instanceof Error ? error : new Error("not confirmed"));
        else if (returned.delete(id)) reject(new Error("no queue is bound to the event's key"));
        else resolve();
      });
    });

  const comes = (confirms: Promise<unknown>, ms: number) =>
    Promise.race([confirms.then(() => true), timeout(ms).then(() => false)]);

  const awaitLate = async (confirms: readonly Promise<void>[]) => {
    late += 1;
    const settled = Promise.allSettled(confirms);
    while (!(await comes(settled, lateTimeoutsMax * confirmTimeoutMs))) {
      // With the connection go the messages that it has still to send. A broker that takes nothing
      // says when it does: a new connection would bring it more of them each time.
      if (!isBlocked) cutConnection(connection);
    }
    late -= 1;
  };

  return {
    publish: async (messages) => {
      if (isBlocked) throw new Error("the broker takes no messages");
      if (late > 0) throw new Error("the broker has yet to confirm earlier messages");
      const confirms = messages.map(publishOne);
      if (await comes(Promise.all(confirms), confirmTimeoutMs)) return;
      void awaitLate(confirms);
      throw new Error("the broker did not confirm in time");
    },
    ready: () => !isBlocked && late === 0,
  };
}
