import type { Chain } from "@disburse/payout/rails/chain/chain.ts";
import { SimulatedFault } from "../checks/process-log.ts";
import type { ProcessInstance } from "../scheduler/host.ts";

const hopMs = 60;
/** A node that is slow for a moment: what a process decided on is old by then. */
const slowMs = 8_000;

/**
 * A process's way to the nodes of a chain: each look is as old as its way back, and bytes that a
 * process sent arrive after its end, or not.
 */
export function chainLink(instance: ProcessInstance, chain: Chain): Chain {
  const { scheduler } = instance;
  const { faults, random } = scheduler;
  const delayMs = () =>
    faults.happens("chain: slow", 0.02) ? random.below(slowMs) : random.fraction() * hopMs;
  const call = <T>(label: string, ask: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const later = (run: () => void) =>
        scheduler.after(delayMs(), { label: `chain ${label} answered`, owner: instance, run });
      scheduler.after(delayMs(), {
        label: `${instance.name} → chain ${label}`,
        run: () => {
          if (faults.happens("chain: no answer", 0.02)) {
            return later(() => reject(new SimulatedFault("no node answers")));
          }
          ask().then(
            (value) => later(() => resolve(value)),
            (error: unknown) => later(() => reject(error)),
          );
        },
      });
    });
  return {
    ...chain,
    check: () => call("check", chain.check),
    look: () => call("look", chain.look),
    verdict: (...given) => call("verdict", () => chain.verdict(...given)),
    takerOf: (...given) => call("taker", () => chain.takerOf(...given)),
    send: (raw) =>
      call("send", async () => {
        if (!faults.happens("chain: bytes lost", 0.05)) await chain.send(raw);
      }),
  };
}
