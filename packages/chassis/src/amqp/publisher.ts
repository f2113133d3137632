import type { ChannelModel, ConfirmChannel, Message } from "amqplib";
import type { Bus, BusMessage } from "../bus/bus.ts";
import { reportRejection } from "../rejections.ts";
import { withTimeout } from "../timeout.ts";
import {
  type AmqpOptions,
  cutConnection,
  exchangeOf,
  guardChannel,
  maintainConnection,
} from "./connection.ts";
import { originHeaders } from "./origin.ts";
import { type SignedParts, signatureHeaders } from "./signature.ts";

type Publishing = Pick<Bus, "publish" | "ready">;

type PublisherOptions = AmqpOptions & {
  readonly confirmTimeoutMs: number;
  /** Called when the broker closes the channel, for example because the exchange is gone. */
  readonly refused: () => void;
};

/** The number of further timeouts after which the connection of a missing confirm is closed. */
const lateTimeoutsMax = 2;

export function createPublisher(options: PublisherOptions): Omit<Bus, "subscribe"> {
  const { url, after, namespace, service, log, refused } = options;
  let current: Publishing | undefined;
  let stopping = false;

  const connection = maintainConnection({
    url,
    after,
    purpose: "publishing",
    log,
    setup: async (opened) => {
      const channel = await opened.createConfirmChannel();
      guardChannel(opened, channel, log, () => stopping);
      channel.on("error", refused);
      const publishing = publishOn(opened, channel, options);
      await channel.assertExchange(exchangeOf(namespace, service), "topic", { durable: true });
      current = publishing;
    },
    lost: () => {
      current = undefined;
    },
  });

  return {
    publish: async (messages) => {
      if (current === undefined) throw new Error("not connected to the message broker");
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
 * Publishes on a channel. If no queue takes a message, the broker returns it, and the message
 * counts as unpublished. The library buffers without a limit. Therefore nothing is published while
 * the broker is blocked or an earlier confirm is late.
 */
function publishOn(
  connection: ChannelModel,
  channel: ConfirmChannel,
  options: PublisherOptions,
): Publishing {
  const { confirmTimeoutMs, log } = options;
  const exchange = exchangeOf(options.namespace, options.service);
  const returned = new Set<string>();
  let isBlocked = false;
  let late = 0;
  channel.on("return", (message: Message) => returned.add(String(message.properties.messageId)));
  connection.on("blocked", (reason) => {
    isBlocked = true;
    log.warn({ reason }, "the message broker has blocked publishing");
  });
  connection.on("unblocked", () => {
    isBlocked = false;
    log.info({}, "the message broker accepts messages again");
  });

  /** Also rejects when the channel closes. */
  const publishOne = ({ id, key, body, headers }: SignedParts) =>
    new Promise<void>((resolve, reject) => {
      const properties = { persistent: true, mandatory: true, messageId: id, headers };
      channel.publish(exchange, key, Buffer.from(body), properties, (error) => {
        if (error)
          reject(
            error instanceof Error
              ? error
              : new Error("the message broker did not confirm a message"),
          );
        else if (returned.delete(id))
          reject(new Error("no queue is bound to the event's routing key"));
        else resolve();
      });
    });

  const comes = (confirms: Promise<unknown>, ms: number) =>
    withTimeout(
      ms,
      () => confirms.then(() => true),
      () => false,
    );

  const awaitLate = async (confirms: readonly Promise<void>[]) => {
    late += 1;
    const settled = Promise.allSettled(confirms);
    while (!(await comes(settled, lateTimeoutsMax * confirmTimeoutMs))) {
      // Closing the connection drops its unsent messages. A blocked broker is an exception: it
      // announces when it reads again. If its connections were closed, the same messages would be
      // sent again each time.
      if (!isBlocked) cutConnection(connection);
    }
    late -= 1;
  };

  const assertTaking = () => {
    if (isBlocked) throw new Error("the message broker has blocked publishing");
    if (late > 0) throw new Error("the message broker has not confirmed earlier messages");
  };

  return {
    publish: async (messages) => {
      assertTaking();
      const ready = await signed(messages, options);
      // The channel's state may have changed while the messages were signed.
      assertTaking();
      const confirms = ready.map(publishOne);
      if (await comes(Promise.all(confirms), confirmTimeoutMs)) return;
      awaitLate(confirms).catch(reportRejection);
      throw new Error("the message broker did not confirm a message in time");
    },
    ready: () => !isBlocked && late === 0,
  };
}

/**
 * Signs messages when they are published, with the current key. They may have been stored long
 * before.
 */
async function signed(
  messages: readonly BusMessage[],
  { keys, namespace }: AmqpOptions,
): Promise<readonly SignedParts[]> {
  const unsigned = messages.map(({ id, key, body, origin }) => {
    return { id, key, body, headers: originHeaders(origin) };
  });
  const signatures = await signatureHeaders(keys, namespace, unsigned);
  return unsigned.map((message, at) => {
    return { ...message, headers: { ...message.headers, ...signatures[at] } };
  });
}
