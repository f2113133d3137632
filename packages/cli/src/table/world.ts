import type { Transport } from "@connectrpc/connect";
import type { ServiceTls } from "../session/tls.ts";

/** Gives the access token that calls are made with. */
export type TokenSource = () => Promise<string>;

/** How a service is called. */
export type Connecting = {
  /** Absent where the call is open to all. */
  readonly token?: TokenSource;
  /** Absent where it is the system's. */
  readonly tls?: ServiceTls | undefined;
};

/** What a run of the command line works with; a test hands over another one. */
export type World = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where paths of files begin. */
  readonly folder: string;
  /** Writes results. */
  readonly out: (text: string) => void;
  /** Writes what is no result: problems, hints, progress. */
  readonly err: (text: string) => void;
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  /** Whether titles may be bold. */
  readonly isColoured: boolean;
  /** Asks a person a question; whether the answer was yes. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Opens a service. */
  readonly connect: (url: string, how: Connecting) => Transport;
  readonly now: () => Date;
};
