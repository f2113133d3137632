import type { Role } from "../principal.ts";
import type { Difference } from "./proposal.ts";

export type Requester = {
  /** The id of an operator, or of a merchant's key or member. */
  readonly person: string;
  readonly roles: ReadonlySet<Role>;
  readonly operationId: string;
};

/** Decides when an RPC needs a second person. `Request` is the RPC's request message. */
export type Guard<Request> = {
  /**
   * An operator must have one of these roles to approve. May be empty for a guard of merchants,
   * whose proposals are always decided by another actor of the merchant too.
   */
  readonly approvers: readonly Role[] | ((request: Request) => readonly Role[]);
  /** Set if the guard also applies to merchants' keys and members, for which the gateway calls. */
  readonly isForMerchants?: true;
  /**
   * Describes the change that the request makes. If the description is different when the proposal
   * runs, the proposal is superseded.
   */
  readonly difference: (request: Request) => Promise<Difference>;
  /**
   * Returns the reasons why a second person is needed. If empty, one person is enough. If they
   * depend on a record that others can change, the handler must call `assertAsChecked` with that
   * record in the loop that ends in its guarded write.
   */
  readonly reasons: (
    request: Request,
    requester: Requester,
    difference: Difference,
  ) => Promise<readonly string[]>;
  /**
   * Throws a refusal if the RPC would refuse the request now. Then no proposal is created. The RPC
   * checks again when the proposal runs.
   */
  readonly check?: (request: Request) => Promise<void>;
  /**
   * If true, a subject can have only one pending proposal. Every other request about that subject
   * is refused until the proposal has run or ended.
   */
  readonly isSole?: true;
  /**
   * Called if no second person was needed and the RPC then refused, so that nothing has changed.
   */
  readonly refused?: (request: Request, requester: Requester) => Promise<void>;
  /**
   * Returns the response to a repeat of a request that has run. Required if the RPC remembers only
   * its last operations: it would run an older one again, without approval.
   */
  readonly repeated?: (request: Request) => Promise<object>;
};

type RequestOf<Rpc> = Rpc extends (request: infer Request, ...rest: never[]) => unknown
  ? Request
  : never;

export type Guards<Rpc> = { readonly [Name in keyof Rpc]?: Guard<RequestOf<Rpc[Name]>> };
