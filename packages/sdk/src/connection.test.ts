import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { ClientOptions } from "./client-options.ts";
import { Disburse } from "./disburse.ts";

/** Tests with real sockets against a local server. */

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serving(listener: RequestListener, options: Partial<ClientOptions> = {}) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new Disburse({ apiKey: "dsb_test_key", baseUrl, ...options });
}

const found = '{"data":{"id":"po_1","source_amount":250.00}}';

test("retries after an incomplete response", async () => {
  let tries = 0;
  const client = await serving((_, response) => {
    tries += 1;
    if (tries > 1) {
      response.end(found);
      return;
    }
    response.writeHead(200, { "content-length": String(found.length) });
    response.write(found.slice(0, 20), () => response.destroy());
  });
  expect(await client.payouts.get("po_1")).toEqual({ id: "po_1", source_amount: "250.00" });
  expect(tries).toBe(2);
});

test("reports a connection error if the server disconnects", async () => {
  const client = await serving((request) => request.socket.destroy(), { retriesMax: 0 });
  const failure = await client.payouts.get("po_1").catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: "connection", code: "CONNECTION_FAILED" });
});

test("reports a connection error for a closed port", async () => {
  const client = new Disburse({ apiKey: "k", baseUrl: "http://127.0.0.1:1", retriesMax: 0 });
  const failure = await client.payouts.get("po_1").catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: "connection", code: "CONNECTION_FAILED" });
});

describe("time limits", () => {
  test("a hanging attempt is aborted and retried", async () => {
    let tries = 0;
    const client = await serving(
      (_, response) => {
        tries += 1;
        if (tries > 1) response.end(found);
      },
      { tryTimeoutMs: 100 },
    );
    expect(await client.payouts.get("po_1")).toMatchObject({ id: "po_1" });
    expect(tries).toBe(2);
  });

  test("an endless body counts as a timeout", async () => {
    const client = await serving((_, response) => response.write('{"data":'), { retriesMax: 0 });
    const failure = await client.payouts
      .get("po_1", { timeoutMs: 100 })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "timeout", code: "TIMEOUT", status: undefined });
  });

  test("the call ends at its time limit, regardless of remaining retries", async () => {
    let tries = 0;
    const client = await serving(
      () => {
        tries += 1;
      },
      { tryTimeoutMs: 100, retriesMax: 100 },
    );
    const failure = await client.payouts
      .get("po_1", { timeoutMs: 150 })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "timeout" });
    expect(tries).toBeLessThanOrEqual(2);
  });
});

describe("the caller's signal", () => {
  test("aborts a running attempt", async () => {
    const aborting = new AbortController();
    const client = await serving(() => aborting.abort(new Error("closing")));
    const call = client.payouts.get("po_1", { signal: aborting.signal });
    await expect(call).rejects.toThrow("closing");
  });

  test("aborts a wait between attempts", async () => {
    const aborting = new AbortController();
    const client = await serving((_, response) => {
      response.writeHead(503, { "retry-after": "30" }).end('{"code":"A","message":"b"}');
      response.once("close", () => setImmediate(() => aborting.abort(new Error("closing"))));
    });
    const call = client.payouts.get("po_1", { signal: aborting.signal });
    await expect(call).rejects.toThrow("closing");
  });
});

test("does not follow a redirect", async () => {
  const requests: string[] = [];
  const client = await serving((request, response) => {
    requests.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const failure = await client.payouts
    .execute({ quote_id: "qt_1" })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: "answer", status: 307 });
  expect(requests).toEqual(["/api/v1/transfer/execute"]);
});
