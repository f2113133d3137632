import { execFile } from "node:child_process";
import { join } from "node:path";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Limits the log lines of a payout, from its quote to its last webhook and reads. */
const linesMax = 10;
const bytesMax = 3_000;

type Line = Readonly<Record<string, unknown>> & { readonly service: string; readonly msg: string };

let platform: TestPlatform;
let receiver: Receiver;
let acme: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "100", LOG_LEVEL: "info" });
  receiver = await startReceiver();
  acme = payerOf(platform, "acme");
  await acme.data("POST", paths.endpoints, { url: receiver.url });
  // The first payout opens connections and fills caches.
  await pay("warm-up");
});
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
});

const texts = () =>
  serviceNames.flatMap((service) => platform.log(service).split("\n").filter(Boolean));
const linesWith = (id: string) =>
  texts().flatMap((text) => (text.includes(`"${id}"`) ? [JSON.parse(text) as Line] : []));
const summary = ({ service, msg, route, status }: Line) =>
  [`${service}: ${msg}`, route, status].filter((each) => each !== undefined).join(" ");

/** Returns the payout after its merchant has read it and received both webhooks. */
async function pay(name: string): Promise<string> {
  const before = receiver.calls.length;
  const body = { source_amount: "10.00", ...(await acme.transfer("USD", "USD")) };
  const { json } = await acme.post(paths.rfq, body, { "x-request-id": `${name}-rfq` });
  const order = { quote_id: json.data.id, reference_id: name };
  const answer = await acme.post(paths.execute, order, { "x-request-id": `${name}-execute` });
  const { id } = answer.json.data;
  await acme.get(`${paths.payouts}/${id}`, { "x-request-id": `${name}-read` });
  await receiver.waitFor(before + 2);
  await acme.get(`${paths.payouts}/${id}`, { "x-request-id": `${name}-read-again` });
  await vi.waitFor(() => expect(linesWith(`${name}-read-again`)).not.toHaveLength(0));
  return id;
}

it("writes few lines about a payout and its reads", async () => {
  const before = new Map(serviceNames.map((service) => [service, platform.log(service).length]));
  await pay("counted");
  const added = serviceNames.map((service) => platform.log(service).slice(before.get(service)));
  const lines = added.flatMap((text) => text.split("\n").filter(Boolean));
  const events = lines.map((text) => summary(JSON.parse(text)));
  expect(events.length, events.join("\n")).toBeLessThanOrEqual(linesMax);
  expect(Buffer.byteLength(added.join(""))).toBeLessThanOrEqual(bytesMax);
});

describe("an operator finds", () => {
  const read = "GET /api/v1/transfer/payouts/:payoutId";
  const execute = "POST /api/v1/transfer/execute";

  it("all lines of a payout by its id", async () => {
    const id = await pay("found");
    expect(linesWith(id).map(summary).toSorted()).toEqual([
      `gateway: request ${read} 200`,
      `gateway: request ${read} 200`,
      `gateway: request ${execute} 200`,
      "payout: payout status changed initiated",
      "payout: payout status changed succeeded",
    ]);
    const printed = await trace(id);
    expect(printed.trimEnd().split("\n")).toHaveLength(5);
  });

  it("all lines of a request by its id, and what followed from it", async () => {
    const id = await pay("requested");
    expect(linesWith("requested-execute").map(summary).toSorted()).toEqual([
      `gateway: request ${execute} 200`,
      "payout: payout status changed initiated",
      "payout: payout status changed succeeded",
    ]);
    expect(linesWith("requested-read")).toMatchObject([{ record_id: id, status: 200 }]);
    expect(linesWith("requested-rfq")).toMatchObject([{ service: "gateway", msg: "request" }]);
  });

  it("each webhook that failed, by its payout and by the request", async () => {
    receiver.answer(500);
    const id = await acme.pay("refused");
    const failed = () => linesWith(id).filter(({ msg }) => msg === "webhook attempt failed");
    await vi.waitFor(() => expect(failed().length).toBeGreaterThan(0), 10_000);
    receiver.answer(200);
    const [line] = failed();
    expect(line).toMatchObject({
      ...{ service: "notifier", level: "info", transaction_id: id, result: 500 },
      ...{ delivery_id: expect.stringMatching(/^whd_/), attempt: 1 },
      ...{ endpoint_id: expect.stringMatching(/^whe_/), event_id: expect.any(String) },
    });
    const request = linesWith(id).find(({ msg }) => msg === "request");
    expect(line?.request_id).toBe(request?.request_id);
  });

  it("why a request was refused", async () => {
    const sent = { "x-request-id": "refused-twice" };
    const { status } = await acme.post(paths.execute, { quote_id: "qt_none" }, sent);
    await vi.waitFor(() => expect(linesWith("refused-twice")).toHaveLength(1));
    expect(linesWith("refused-twice")).toMatchObject([{ status, code: expect.any(String) }]);
  });
});

/** Runs `npm run trace` on lines as `docker compose logs` prints them. */
function trace(id: string): Promise<string> {
  const program = join(import.meta.dirname, "../packages/standalone/src/trace.ts");
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, id, "-"], (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.end(texts().join("\n"));
  });
}
