import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { Visitor } from "./visitor.ts";

export type BrowserTestDeps = {
  readonly sandbox: SandboxDocument;
  /** Opens a new browser and signs the person in. */
  readonly arrive: (name: string) => Promise<Visitor>;
  /** Opens a new browser on the merchants' port without signing in. */
  readonly anonymous: () => Promise<Visitor>;
};

export type BrowserTest = {
  readonly name: string;
  readonly about: string;
  readonly run: (deps: BrowserTestDeps) => Promise<void>;
};
