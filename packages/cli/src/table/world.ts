import type { Transport } from "@connectrpc/connect";

/** Gives the access token that calls are made with. */
export type TokenSource = () => Promise<string>;

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
  /** Opens a service; without a token where the call is open to all. */
  readonly connect: (url: string, token?: TokenSource) => Transport;
  readonly now: () => Date;
};
