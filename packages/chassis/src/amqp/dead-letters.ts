import { parseArgs } from "node:util";
import { type ConfirmChannel, connect, type GetMessage } from "amqplib";

/**
 * `npm run dead-letters -- CONSUMER --amqp-url URL [--namespace NAME] [--again]`: prints the
 * messages of a consumer's dead-letter queue, one JSON line each. `--again` also republishes them.
 */

export type DeadLetter = {
  readonly id: string;
  /** The exchange and routing key of the first publication. */
  readonly exchange: string;
  readonly key: string;
  readonly bytes: number;
};

/** The maximum number of messages to read. Each message stays unacknowledged until the end. */
const readMax = 10_000;

/**
 * Reads a consumer's dead-letter queue. With `again`, publishes each message to its original
 * exchange, unchanged and with its original signature, and removes it once the broker confirms.
 * Otherwise all messages stay.
 */
export async function readDeadLetters(options: {
  readonly url: string;
  readonly namespace: string;
  readonly consumer: string;
  readonly again: boolean;
}): Promise<readonly DeadLetter[]> {
  const { url, namespace, consumer, again } = options;
  const connection = await connect(url);
  try {
    const channel = await connection.createConfirmChannel();
    const queue = `${namespace}.${consumer}.dead`;
    const { messageCount } = await channel.checkQueue(queue);
    const deadLetters: DeadLetter[] = [];
    while (deadLetters.length < Math.min(messageCount, readMax)) {
      const message = await channel.get(queue);
      if (message === false) break;
      const deadLetter = deadLetterOf(message);
      deadLetters.push(deadLetter);
      if (again) await publishAgain(channel, message, deadLetter);
    }
    // When the channel closes, unacknowledged messages return to the queue. Acks are sent before
    // that.
    await channel.close();
    return deadLetters;
  } finally {
    await connection.close();
  }
}

/**
 * An entry of the broker's `x-death` header. The header has one entry for each time that the
 * message was dead-lettered.
 */
type Death = { readonly exchange?: string; readonly "routing-keys"?: readonly string[] };

function deadLetterOf({ properties, fields, content }: GetMessage): DeadLetter {
  const deaths: Death[] = properties.headers?.["x-death"] ?? [];
  const first = deaths.at(-1);
  return {
    id: String(properties.messageId ?? ""),
    exchange: first?.exchange ?? "",
    key: first?.["routing-keys"]?.[0] ?? fields.routingKey,
    bytes: content.length,
  };
}

async function publishAgain(
  channel: ConfirmChannel,
  message: GetMessage,
  { exchange, key }: DeadLetter,
): Promise<void> {
  const { messageId, headers = {} } = message.properties;
  const own = Object.entries(headers).filter(([name]) => !/^x-(?:first-|last-)?death/.test(name));
  await new Promise<void>((resolve, reject) => {
    const properties = { persistent: true, messageId, headers: Object.fromEntries(own) };
    const confirmed = (error: unknown) => (error ? reject(error) : resolve());
    channel.publish(exchange, key, message.content, properties, confirmed);
  });
  channel.ack(message);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "amqp-url": { type: "string" },
      namespace: { type: "string", default: "disburse" },
      again: { type: "boolean", default: false },
    },
  });
  const { "amqp-url": url, namespace, again } = values;
  const [consumer] = positionals;
  if (url === undefined || consumer === undefined) {
    throw new Error("usage: npm run dead-letters -- CONSUMER --amqp-url URL [--again]");
  }
  const deadLetters = await readDeadLetters({ url, namespace, consumer, again });
  for (const deadLetter of deadLetters) process.stdout.write(`${JSON.stringify(deadLetter)}\n`);
}
