// The image's health check: asks the service in this container, by grpc.health.v1, whether it can
// do its work. Exit 0 says yes. It imports nothing, so that it costs little more than Node's start.

/** Docker gives the whole check 3 s. */
const timeoutMs = 2_000;

/** Where the service's RPCs are: on the gateway `PORT` is the public one. */
const port = process.env.RPC_PORT || process.env.PORT;

async function isServing() {
  const response = await fetch(`http://127.0.0.1:${port}/grpc.health.v1.Health/Check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(timeoutMs),
  });
  return (await response.json()).status === "SERVING";
}

// Whatever keeps it from answering, it is not serving now.
process.exit((await isServing().catch(() => false)) ? 0 : 1);
