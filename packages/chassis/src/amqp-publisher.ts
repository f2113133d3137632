import type { ConfirmChannel, Message } from "amqplib";
import {
  type AmqpOptions,
  exchangeOf,
  guardChannel,
  keepConnected,
  timeout,
} from "./amqp-connection.ts";
import type { BusMessage } from "./bus.ts";
import { requestIdHeader } from "./rpc-identity.ts";

export type Publisher = {
  publish(messages: readonly BusMessage[]): Promise<void>;
  ready(): boolean;
  stop(): Promise<void>;
};

type Publishing = Pick<Publisher, "publish">;

export type PublisherOptions = AmqpOptions & {
  readonly confirmTimeoutMs: number;
  /** The broker closed the channel, as it does where the exchange is gone. */
  readonly refused: () => void;
};

/** Publishes with confirms, on a connection of its own, whenever there is one. */
export function keepPublisher(options: PublisherOptions): Publisher {
  const { url, namespace, log, confirmTimeoutMs, refused } = options;
  const exchange = exchangeOf(namespace);
  let current: Publishing | undefined;
  let stopping = false;

  const connection = keepConnected({
    url,
    purpose: "publishing",
    log,
    setup: async (made) => {
      const channel = await made.createConfirmChannel();
      guardChannel(made, channel, log, () => stopping);
      channel.on("error", refused);
      const publishing = publishOn(channel, exchange, confirmTimeoutMs);
      await channel.assertExchange(exchange, "topic", { durable: true });
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
    ready: () => current !== undefined,
    stop: async () => {
      stopping = true;
      await connection.stop();
    },
  };
}

/** Publishes on a channel; a message that no queue takes comes back and counts as unpublished. */
function publishOn(
  channel: ConfirmChannel,
  exchange: string,
  confirmTimeoutMs: number,
): Publishing {
  const returned = new Set<string>();
  channel.on("return", (message: Message) => returned.add(String(message.properties.messageId)));

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

  return {
    publish: async (messages) => {
      const late = timeout(confirmTimeoutMs).then(() => {
        throw new Error("the broker did not confirm in time");
      });
      late.catch(() => undefined);
      await Promise.race([Promise.all(messages.map(publishOne)), late]);
    },
  };
}
