import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfirmChannel, connect } from "amqplib";
import { expect, onTestFinished, test } from "vitest";
import { type Broker, startBroker } from "./broker.ts";
import { bareEnv, isAlive, startInChildProcess, temporaryFolder, until } from "./testing.ts";

const queue = "kept";

async function start(dataDir: string, exits: string[] = []): Promise<Broker> {
  const urls: string[] = [];
  const calls = {
    onExit: (how: string) => exits.push(how),
    onUrl: (url: string) => urls.push(url),
  };
  const broker = await startBroker({ dataDir, env: bareEnv, ...calls });
  if (broker === undefined) throw new Error("this test needs a rabbitmq-server");
  expect(urls.at(-1)).toBe(broker.url);
  onTestFinished(() => broker.stop());
  return broker;
}

/** Ignores connection errors, since tests kill the broker and check the result there. */
async function channelTo(url: string): Promise<ConfirmChannel> {
  const connection = await connect(url);
  connection.on("error", () => undefined);
  onTestFinished(() => connection.close().catch(() => undefined));
  return connection.createConfirmChannel();
}

async function declare(url: string): Promise<void> {
  const channel = await channelTo(url);
  await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
}

async function publish(url: string, body: string): Promise<void> {
  const channel = await channelTo(url);
  channel.sendToQueue(queue, Buffer.from(body), { persistent: true });
  await channel.waitForConfirms();
}

async function take(url: string): Promise<string | undefined> {
  const message = await (await channelTo(url)).get(queue, { noAck: true });
  return message === false ? undefined : message.content.toString();
}

function processesOf(folder: string): number[] {
  const note = readFileSync(join(folder, "rabbitmq", "processes.json"), "utf8");
  return (JSON.parse(note) as { pid: number; keeperPid: number }[]).flatMap((noted) => [
    noted.pid,
    noted.keeperPid,
  ]);
}

test("goes on with its queues after a stop and after a kill", async () => {
  const folder = await temporaryFolder();
  const exits: string[] = [];
  const first = await start(folder, exits);
  // Restarts in between: a node killed within 2 s of a quorum queue's declaration loses the queue.
  await declare(first.url);
  await first.stop();
  expect(processesOf(folder).filter(isAlive)).toEqual([]);
  expect(exits).toEqual([]);

  const second = await start(folder, exits);
  await publish(second.url, "one");
  process.kill(second.pid ?? 0, "SIGKILL");
  await until(() => exits.length > 0);
  expect(exits).toEqual(["ended by signal 9"]);
  await until(() => !processesOf(folder).some(isAlive));

  const third = await start(folder, exits);
  expect(await take(third.url)).toBe("one");
});

test.each([
  ["AMQP_URL", { AMQP_URL: "amqp://h:1/v" }, { kind: "external", url: "amqp://h:1/v" }],
  ["no broker", { DISBURSE_BROKER: "none", AMQP_URL: "amqp://h" }, undefined],
])("does as the error table says with %s", async (_, settings, expected) => {
  const options = { dataDir: "/nonexistent", onExit: () => undefined };
  const broker = await startBroker({ ...options, env: { ...bareEnv, ...settings } });
  expect(broker && { kind: broker.kind, url: broker.url }).toEqual(expected);
});

test.each([
  ["its starter", false],
  ["its starter and the supervisors", true],
])("leaves nothing behind when %s is killed, and the folder is free again", async (_, all) => {
  const folder = await temporaryFolder();
  const starter = await startInChildProcess(
    "broker.ts",
    `const broker = await part.startBroker({ dataDir: ${JSON.stringify(folder)}, onExit() {} });
     console.log(JSON.stringify({ pid: broker.pid, address: broker.url }))`,
  );
  await expect(start(folder)).rejects.toThrow(/in use.*DATA_DIR/);
  const processes = processesOf(folder);
  expect(processes.filter(isAlive)).toEqual(processes);
  const supervisors = processes.filter((_, index) => index % 2 === 1);
  // Kills all at once: a starter that sees its supervisor end would end the node itself.
  await starter.kill(all ? supervisors : []);
  await start(folder);
  expect(processes.filter(isAlive)).toEqual([]);
});
