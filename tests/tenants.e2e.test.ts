import type { Socket } from "node:net";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";
import { connect, lastAnswer } from "./raw.ts";

/** One merchant that takes all that it can get of what merchants share, and another one beside. */

let platform: TestPlatform;
let acme: Payer;
/** The hostile one. */
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

/** A request of globex's, sent as far as this. */
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
    // Within the bytes and keys of a batch, and no batch: it costs parsing alone.
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

it("exports that one merchant does not read are its own limit", async () => {
  const path = `${paths.accounts}/${platform.accountId("globex", "USD")}/entries.csv`;
  const open = async (): Promise<Connection> => {
    const connection = await begin([`GET ${path} HTTP/1.1`, "Accept: text/csv"]);
    connection.socket.pause();
    return connection;
  };
  await Promise.all(Array.from({ length: 12 }, open));
  const own = `${paths.accounts}/${platform.accountId("acme", "USD")}/entries.csv`;
  for (let times = 0; times < 3; times += 1) expect((await acme.get(own)).status).toBe(200);
});

it("names that one merchant has screened leave time for another's", async () => {
  const hostile = {
    ...bankBody("ACH", "Corporate"),
    beneficiary_name: Array.from({ length: 24 }, (_each, at) => `International Trading ${at}`)
      .join(" ")
      .slice(0, 255),
  };
  const flood = Array.from({ length: 60 }, () => globex.post(paths.fiat, hostile));
  const { beneficiary_id } = await acme.data("POST", paths.fiat, bankBody("ACH"));
  await vi.waitFor(async () => {
    const read = await acme.data("GET", `${paths.beneficiaries}/${beneficiary_id}`);
    expect(read.screening_status).toBe("cleared");
  }, 5_000);
  await Promise.all(flood);
}, 60_000);
