import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = { readonly to: string; readonly raw: string };

/** Rejects a recipient or a message with a status. Returns `undefined` to accept it. */
type Answer = (step: "RCPT TO" | "DATA", to: string) => number | undefined;

/** Starts a mail server on this machine, which accepts everything unless `answer` says otherwise. */
export async function startTestMailServer() {
  const received: ReceivedMail[] = [];
  const state: { answer: Answer } = { answer: () => undefined };
  const rejection = (step: Parameters<Answer>[0], to: string) => {
    const status = state.answer(step, to);
    // Real servers repeat the address in their answers.
    return status === undefined
      ? null
      : Object.assign(new Error(`no mailbox <${to}>`), { responseCode: status });
  };
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    onRcptTo: ({ address }, _session, done) => done(rejection("RCPT TO", address)),
    onData: (stream, { envelope }, done) => {
      const [to = ""] = envelope.rcptTo.map(({ address }) => address);
      const receive = (chunks: Buffer[]) => {
        const rejected = rejection("DATA", to);
        if (rejected === null) received.push({ to, raw: Buffer.concat(chunks).toString() });
        done(rejected);
      };
      stream.toArray().then(receive, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    received,
    port,
    answer: (answer: Answer): void => {
      state.answer = answer;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
