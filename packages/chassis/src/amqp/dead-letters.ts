import { parseArgs } from "node:util";
import { type ConfirmChannel, connect, type GetMessage } from "amqplib";

/**
 * `npm run dead-letters -- CONSUMER --amqp-url URL [--namespace NAME] [--again]`: prints what lies
 * in the dead letters of a consumer, a JSON line each, and publishes it again where it is asked to.
 */

/** A message that its consumer has refused. */
export type DeadLetter = {
  readonly id: string;
  /** Where it was published first, and under which routing key. */
  readonly exchange: string;
  readonly key: string;
  readonly bytes: number;
};

/** One look takes no more: each is held until the end of it. */
const letterMax = 10_000;

/**
 * Reads the dead letters of a consumer. `again` publishes each where it was published first, as it
 * was, with the signature that it has, and takes it from the dead letters when the broker has it;
 * else all of them stay.
 */
export async function readDeadLetters(options: {
  readonly url: string;
  readonly namespace: string;
  /** The consumer's name, as in `Subscription`. */
  readonly consumer: string;
  readonly again: boolean;
}): Promise<readonly DeadLetter[]> {
  const { url, namespace, consumer, again } = options;
  const connection = await connect(url);
  try {
    const channel = await connection.createConfirmChannel();
    const queue = `${namespace}.${consumer}.dead`;
    const { messageCount } = await channel.checkQueue(queue);
    const letters: DeadLetter[] = [];
    while (letters.length < Math.min(messageCount, letterMax)) {
      const message = await channel.get(queue);
      if (message === false) break;
      const letter = letterOf(message);
      letters.push(letter);
      if (again) await publishAgain(channel, message, letter);
    }
    // What was read and not taken goes back; what was taken is settled before the connection ends.
    await channel.close();
    return letters;
  } finally {
    await connection.close();
  }
}

/** What the broker writes down each time that it lays a message by. */
type Death = { readonly exchange?: string; readonly "routing-keys"?: readonly string[] };

function letterOf({ properties, fields, content }: GetMessage): DeadLetter {
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
  const letters = await readDeadLetters({ url, namespace, consumer, again });
  for (const letter of letters) process.stdout.write(`${JSON.stringify(letter)}\n`);
}
