import type { BankServer, BankSession } from "@disburse/bank-rail/sending.ts";
import type { Intercept } from "@disburse/bank-rail/test-server.ts";
import { SimulatedFault } from "../checks/process-log.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { SimulatedBank } from "./simulated-bank.ts";

const hopMs = 80;
const slowMs = 8_000;
const sessionMs = 15_000;

/**
 * Connects a process to a bank's server. Requests and answers can be lost. After a process ends,
 * data that it has sent may still arrive. A session that takes too long fails, but its pending
 * writes arrive.
 */
export function bankLink(instance: ProcessInstance, bank: SimulatedBank): BankServer {
  const { scheduler } = instance;
  const { faults, random } = scheduler;
  const delayMs = () =>
    faults.happens("bank: slow", 0.02) ? random.below(slowMs) : random.fraction() * hopMs;
  const call = <T>(label: string, ask: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const later = (run: () => void) =>
        scheduler.after(delayMs(), { label: `bank ${label} answered`, owner: instance, run });
      const fail = () => later(() => reject(new SimulatedFault("the bank does not answer")));
      const arrive = () => {
        if (instance.isDead() && random.chance(0.5)) return;
        if (faults.happens("bank: request lost", 0.02)) return fail();
        const done = ask();
        if (faults.happens("bank: answer lost", label === "action" ? 0.15 : 0.03)) {
          done.catch(() => undefined);
          return fail();
        }
        done.then(
          (value) => later(() => resolve(value)),
          (error: unknown) => later(() => reject(new SimulatedFault(String(error)))),
        );
      };
      scheduler.after(delayMs(), { label: `${instance.name} → bank ${label}`, run: arrive });
    });
  const action: Intercept = (act) => call("action", act);
  const server = bank.serverFor(action);
  return {
    ...server,
    timeoutMs: sessionMs,
    inSession: (work) =>
      server.inSession(
        (session) =>
          new Promise((resolve, reject) => {
            const late = () => reject(new SimulatedFault("the session timed out"));
            const timer = instance.timer(sessionMs, late);
            const over = () => timer.cancel();
            work(remote(session, call)).then(resolve, reject).finally(over);
          }),
      ),
  };
}

/** Wraps a session. Reads are delayed in both directions. Each write arrives separately. */
function remote(
  session: BankSession,
  call: <T>(label: string, ask: () => Promise<T>) => Promise<T>,
): BankSession {
  return {
    upload: session.upload,
    discard: session.discard,
    place: (...given) => call("place", () => session.place(...given)),
    list: (...given) => call("list", () => session.list(...given)),
    download: (...given) => call("download", () => session.download(...given)),
  };
}
