import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { type ReceivedCall, type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { cryptoBody, paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

const program = join(
  dirname(fileURLToPath(import.meta.url)),
  "../packages/standalone/src/trace.ts",
);

let platform: TestPlatform;
let receiver: Receiver;
let acme: Payer;

beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "100", LOG_LEVEL: "debug" });
  receiver = await startReceiver();
  acme = payerOf(platform, "acme");
  await acme.data("POST", paths.endpoints, { url: receiver.url });
});
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
});

type Line = { readonly service: string; readonly msg: string; readonly rpc?: string };

/** Returns a service's log entries for one request: `rpc ClaimQuote`, `payout advanced`. */
function logged(service: ServiceName, requestId: string): string[] {
  const lines = platform.log(service).split("\n");
  return lines
    .filter((line) => line.includes(`"request_id":"${requestId}"`))
    .map((line) => JSON.parse(line) as Line)
    .map(({ msg, rpc }) => (rpc === undefined ? msg : `${msg} ${rpc}`));
}

/** Runs the program on a log in the format of `docker compose logs`. */
function trace(requestId: string): Promise<string> {
  const log = serviceNames.flatMap((service) => {
    const lines = platform.log(service).split("\n").filter(Boolean);
    return lines.map((line) => `${service}-1  | ${line}\n`);
  });
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, requestId, "-"], (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.end(log.join(""));
  });
}

/** Captures each line's time and `service: event`. */
const printed = /^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\] (?:INFO|DEBUG): (\w+: [a-z ]+?) \[/;

const times = (service: ServiceName, requestId: string, event: string): number =>
  logged(service, requestId).filter((each) => each === event).length;

/** Executes a quote in one request and waits for all its effects. Returns the payout's id. */
async function pay(requestId: string): Promise<string> {
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
  const answer = await acme.post(paths.execute, { quote_id }, { "x-request-id": requestId });
  expect(answer.status).toBe(200);
  await vi.waitFor(
    () => {
      expect(times("notifier", requestId, "webhook delivered")).toBe(2);
      expect(times("payout", requestId, "event published")).toBe(2);
    },
    { timeout: 20_000 },
  );
  return answer.json.data.id;
}

it("finds a payout's request in every service, up to its last webhook", async () => {
  await pay("traced-payout");
  expect(logged("gateway", "traced-payout")).toEqual(["request"]);
  expect(logged("quote", "traced-payout")).toEqual(["rpc GetClaimableQuote", "rpc ClaimQuote"]);
  expect(logged("beneficiary", "traced-payout")).toContain("rpc GetPaymentInstruction");
  expect(logged("payout", "traced-payout")).toEqual(
    expect.arrayContaining(["rpc ExecutePayout", "rail responded", "payout advanced"]),
  );
  expect(times("notifier", "traced-payout", "event stored")).toBe(2);

  const lines = (await trace("traced-payout")).trimEnd().split("\n");
  const parts = lines.map((line) => printed.exec(line) ?? [line]);
  const moments = parts.map(([, moment = ""]) => moment);
  expect(moments).toEqual(moments.toSorted());
  const count = serviceNames.flatMap((service) => logged(service, "traced-payout")).length;
  expect(lines).toHaveLength(count);
  const events = parts.map(([, , event = ""]) => event);
  expect(events).toEqual(
    expect.arrayContaining(["gateway: request", "quote: rpc", "beneficiary: rpc", "payout: rpc"]),
  );
  expect(events.at(-1)).toMatch(/^(notifier: webhook delivered|payout: event published)$/);
});

it("knows of no trace by default, also where a merchant sends one", async () => {
  const { id: quote_id } = await acme.quote("USD", "USD", { source_amount: "10.00" });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const headers = { "x-request-id": "untraced", traceparent };
  const { json } = await acme.post(paths.execute, { quote_id }, headers);
  const { id } = json.data;
  const isOf = ({ body }: ReceivedCall) => body.includes(id);
  for (const call of await receiver.waitFor(2, { filter: isOf })) {
    expect(call.headers.traceparent).toBeUndefined();
  }
  for (const service of serviceNames) expect(platform.log(service)).not.toContain("trace_id");
  const payouts = await platform.openDatabase("payout");
  const stored = await payouts.db.collection<{ _id: string }>("payouts").findOne({ _id: id });
  await payouts.close();
  expect(stored).toHaveProperty("request_id", "untraced");
  expect(stored).not.toHaveProperty("traceparent");
});

it("finds a beneficiary's request where it was screened", async () => {
  await acme.post(paths.crypto, cryptoBody(), { "x-request-id": "traced-beneficiary" });
  await vi.waitFor(() => {
    expect(logged("beneficiary", "traced-beneficiary")).toEqual([
      "record screened",
      "rpc CreateCryptoBeneficiary",
    ]);
    expect(logged("compliance", "traced-beneficiary")).toEqual([
      "rpc ScreenWallet",
      "rpc ScreenParty",
    ]);
    expect(logged("gateway", "traced-beneficiary")).toEqual(["request"]);
  }, 10_000);
});

it("finds the request that asked for a webhook once more, not the payout's", async () => {
  const payoutId = await pay("traced-before");
  const query = `?transaction_id=${payoutId}`;
  const { deliveries } = await acme.data("GET", paths.deliveries + query);
  const path = `${paths.deliveries}/${deliveries[0].id}/redeliver`;
  const { status } = await acme.post(path, {}, { "x-request-id": "traced-again" });
  expect(status).toBe(200);
  await vi.waitFor(
    () =>
      expect(logged("notifier", "traced-again").toSorted()).toEqual([
        "rpc Redeliver",
        "webhook delivered",
      ]),
    10_000,
  );
  expect(times("notifier", "traced-before", "webhook delivered")).toBe(2);
});
