import type { Socket } from "node:net";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { connect, lastAnswer } from "./raw.ts";

/**
 * Tests one merchant that uses all it can of the shared resources, beside another merchant. Slow
 * screening is tested with a large list in `services/compliance/src/index/watch.test.ts`, since
 * comparing the sandbox's list is too fast.
 */

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
const sockets: Socket[] = [];
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

type Connection = { readonly socket: Socket; readonly text: () => string };

/** Sends the first part of a request as globex. */
async function begin(lines: readonly string[], body = ""): Promise<Connection> {
  const socket = await connect(platform.baseUrl);
  sockets.push(socket);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on("error", () => socket.destroy());
  const head = [...lines, "Host: gateway", `Authorization: Bearer ${platform.apiKey("globex")}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return { socket, text: () => text };
}

const statusesOf = (connections: readonly Connection[]) =>
  connections.map(({ text }) => lastAnswer(text()).status).filter((status) => status > 0);

describe("uploads", () => {
  const upload = () =>
    begin(
      [
        `POST ${paths.batches} HTTP/1.1`,
        "Content-Type: application/json",
        "Content-Length: 100000",
        "Expect: 100-continue",
      ],
      "{",
    );
  const line = async () => ({ ...(await acme.transfer("USD", "USD")), source_amount: "1.00" });

  it("that one merchant never ends are its own limit, and end by themselves", async () => {
    const lines = [await line()];
    const slow = await Promise.all(Array.from({ length: 8 }, upload));
    const refusals = () => statusesOf(slow).filter((each) => each === 429).length;
    await vi.waitFor(() => expect(refusals()).toBeGreaterThan(3), 5_000);
    for (let times = 0; times < 3; times += 1) {
      expect((await acme.post(paths.batches, { lines })).status).toBe(200);
    }
    expect(refusals()).toBe(6);
    const own = await globex.post(paths.batches, { lines });
    expect([own.status, own.json.code]).toEqual([429, "RATE_LIMITED"]);
    await vi.waitFor(() => expect(statusesOf(slow)).toContain(408), 15_000);
    await vi.waitFor(async () => {
      expect((await globex.post(paths.batches, { lines })).status).not.toBe(429);
    }, 5_000);
  }, 40_000);

  it("that cost time to parse cost their merchant's time", async () => {
    // Within a batch's limits for bytes and keys, but not a batch: it only costs parsing.
    const row = `{${Array.from({ length: 40 }, (_each, at) => `"k${at}":"v"`).join()}}`;
    const body = `{"lines":[${Array.from({ length: 5_000 }, () => row).join()}]}`;
    let isOver = false;
    const flood = Array.from({ length: 4 }, async () => {
      while (!isOver) await globex.post(paths.batches, body);
    });
    const lines = [await line()];
    const answers: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      answers.push((await acme.post(paths.batches, { lines })).status);
    }
    isOver = true;
    await Promise.all(flood);
    expect(answers).toEqual([200, 200, 200, 200, 200]);
  }, 40_000);
});

it("statements that one merchant asks for at once are its own limit", async () => {
  const path = (name: "acme" | "globex") =>
    `${paths.accounts}/${platform.accountId(name, "USD")}/statements?format=pdf`;
  const flood = Array.from({ length: 12 }, () => globex.get(path("globex")));
  for (let times = 0; times < 3; times += 1) {
    expect((await acme.get(path("acme"))).status).toBe(200);
  }
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  // Each key may have four at a time, each until rendering is finished.
  expect(statuses.toSorted()).toEqual([...Array(4).fill(200), ...Array(8).fill(429)]);
});
