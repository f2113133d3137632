// The image's health check: asks the service in this container whether it should get requests. Exit
// 0 says yes. It imports nothing, so that it costs little more than Node's start.

/** Docker gives the whole check 3 s. */
const timeoutMs = 2_000;

async function isReady() {
  const response = await fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/readyz`, {
    signal: AbortSignal.timeout(timeoutMs),
  });
  return response.ok;
}

// Whatever keeps it from answering, it is not ready now.
process.exit((await isReady().catch(() => false)) ? 0 : 1);
