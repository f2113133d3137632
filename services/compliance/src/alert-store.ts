import type { Decisions } from "./domain/decided-finding.ts";
import type { Screening, ScreeningHit, ScreeningRequest, Subject } from "./domain/screening.ts";

/** What was found of a subject, to be compared with what people decided. */
export type Found = {
  readonly request: ScreeningRequest;
  readonly hits: readonly ScreeningHit[];
  readonly configurationVersion: string;
};

/** A screening of a subject that is in force: its revision grows with each. */
export type Raised = {
  readonly subject: Subject;
  readonly revision: number;
  readonly request: ScreeningRequest;
  readonly screening: Screening;
};

/** What monitoring asks of review. */
export type SubjectAlerts = {
  /**
   * What people decided about these hits; `decidedFinding` applies it. To be asked after the
   * subject's revision was read: a decision that comes later screens the subject again.
   */
  decisionsOf(subject: Subject, found: Found): Promise<Decisions>;
  /**
   * Brings a subject's alerts to what its screening in force found: opens, refreshes, closes. Safe
   * to repeat; what an older revision brings late is left out.
   */
  raise(raised: Raised): Promise<void>;
};

/**
 * What review asks of monitoring after a decision: screens a subject again, takes the result into
 * force, and raises its alerts. Resolves when that is done or the subject is not monitored.
 */
export type Rescreen = (subject: Subject, trigger: "decision") => Promise<void>;
