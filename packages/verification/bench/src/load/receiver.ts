import { startChild } from "./child.ts";
import type { Receipt, ReceiverCalls } from "./receiver-process.ts";

/** Starts the receivers' process and calls `onReceipt` for each webhook that comes. */
export async function startReceivers(
  job: Parameters<ReceiverCalls["listen"]>[0],
  onReceipt: (receipt: Receipt) => void,
) {
  const child = startChild<ReceiverCalls>("load/receiver-process.ts");
  const urls = await child.call("listen", job);
  const collect = async () => {
    for (;;) for (const receipt of await child.call("take", undefined)) onReceipt(receipt);
  };
  // Fails when the receivers stop; then there is nothing more to collect.
  collect().catch(() => undefined);
  return { pid: child.pid, urls, stop: child.stop };
}
