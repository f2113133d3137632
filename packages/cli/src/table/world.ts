import type { Transport } from "@connectrpc/connect";
import type { ServiceTls } from "../session/tls.ts";

export type TokenSource = () => Promise<string>;

export type Connecting = {
  /** Absent for RPCs that need no authentication. */
  readonly token?: TokenSource;
  /** If absent, the system's TLS settings apply. */
  readonly tls?: ServiceTls | undefined;
};

export type Executed = {
  /** The exit code. It is -1 if the program did not start. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** The parts of the process that a run uses. Tests replace them. */
export type World = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative file paths start here. */
  readonly folder: string;
  /** Writes results to standard output. */
  readonly out: (text: string) => void;
  /** Writes problems, hints and progress to standard error. */
  readonly err: (text: string) => void;
  /** True if a person can answer a question. */
  readonly isTerminal: boolean;
  readonly isColoured: boolean;
  /** Asks a person a question and resolves to true for yes. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly connect: (url: string, how: Connecting) => Transport;
  readonly now: () => Date;
  /** Runs a program without a shell, and resolves to its end. */
  readonly execute: (program: string, args: readonly string[]) => Promise<Executed>;
};
