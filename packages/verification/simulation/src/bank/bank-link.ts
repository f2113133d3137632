import type { BankServer, BankSession } from "@disburse/bank-rail/sending.ts";
import type { Deed } from "@disburse/bank-rail/test-server.ts";
import { SimulatedFault } from "../checks/process-log.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { SimulatedBank } from "./simulated-bank.ts";

const hopMs = 80;
/** A server that is slow for a moment. */
const slowMs = 8_000;
const sessionMs = 15_000;

/**
 * A process's way to the server of a bank. A request or its answer can be lost; what a process sent
 * before it ended still arrives, or not; a session that takes too long fails, and what is under way
 * in it arrives all the same.
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
        if (faults.happens("bank: answer lost", label === "deed" ? 0.15 : 0.03)) {
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
  const deed: Deed = (act) => call("deed", act);
  const server = bank.serverFor(deed);
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

/** A session whose looks have their way there and back; a deed has its own. */
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
